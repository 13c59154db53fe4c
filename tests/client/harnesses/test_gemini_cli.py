import json

import pytest

from stash_client.events import (
    Activity,
    Attention,
    Compaction,
    Note,
    Prompt,
    Reply,
    SessionEnd,
    SessionStart,
    Subagent,
    Thinking,
    ToolCall,
    TurnEnd,
    Usage,
)
from stash_client.harnesses import HARNESSES, parse_hook, read_transcript
from tests.client.harnesses.stories import SAMPLES, events, hook, only, transcript

GEMINI = SAMPLES / "gemini-cli"
SESSION, AGENT = "47e6d9f6-54b3-43ee-ad61-72e519a94d39", "b657946c-1a2f-4ef5-abe3-8cba9b850dfd"
FILE = "/home/mika/projects/orchard-api/src/client.py"


@pytest.mark.parametrize("name, kinds", [
    ("SessionStart", [SessionStart]), ("BeforeAgent", [Prompt]), ("AfterAgent", [Reply, TurnEnd]),
    ("BeforeTool", [Activity]), ("PreCompress", [Compaction]), ("SessionEnd", [SessionEnd]),
])  # fmt: skip
def test_hooks_mean(name, kinds):
    batches = hook("gemini-cli", name)
    assert [type(event) for event in events(batches)] == kinds
    assert {(b.session.harness, b.session.native_id) for b in batches} == {("gemini-cli", SESSION)}


def test_end_of_a_turn_does_not_repeat_the_prompt():
    assert all("prompt" not in event.extra for event in events(hook("gemini-cli", "AfterAgent")))


def test_an_edit_is_its_diff():
    call = only(hook("gemini-cli", "AfterTool"))
    assert (call.family, call.ok, call.output, call.paths) == ("edit", True, None, (FILE,))
    assert call.diff == (
        "--- a/src/client.py\n+++ b/src/client.py\n@@ -1 +1,2 @@\n MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n"
    )


def test_a_failing_command_is_a_success_with_an_exit_code_inside():
    call = only(hook("gemini-cli", "AfterTool.shell_failing"))
    assert (call.family, call.ok, call.exit_code) == ("shell", False, 1)
    assert call.output.startswith("F. ")
    assert call.output.endswith("1 failed, 1 passed in 0.38s")


def test_an_exit_code_that_a_file_merely_mentions_is_none():
    body = {"tool_name": "read_file", "tool_input": {"file_path": "a"}, "tool_response": {"llmContent": "Exit Code: 3"}}
    call = only(parse_hook("gemini-cli", body, event="AfterTool"))
    assert (call.ok, call.exit_code, call.output) == (True, None, "Exit Code: 3")


def test_a_tool_that_failed_says_why():
    call = only(hook("gemini-cli", "AfterTool.error"))
    assert (call.ok, call.output) == (False, "request failed with 503")


def test_the_wish_to_run_a_command_shows_it_whole():
    wish = only(hook("gemini-cli", "Notification"))
    assert (type(wish), wish.what, wish.command) == (Attention, "permission", "pytest -q")


def test_story():
    read, batches = transcript("gemini", GEMINI / "transcript.jsonl")
    told = events(batches)
    assert [type(event) for event in told] == [
        Prompt, Thinking, Reply, ToolCall, ToolCall, Reply, Prompt, ToolCall, ToolCall, Reply, Compaction,
        Prompt, Thinking, ToolCall, Subagent, ToolCall, ToolCall, ToolCall, Reply,
    ]  # fmt: skip
    info = read.session
    assert (info.native_id, info.title, info.model) == (SESSION, "Retry budget for the café sync", "gemini-3.5-pro")
    assert info.cwd == "/home/mika/projects/orchard-api"
    assert [(c.name, c.family, c.ok, c.exit_code) for c in events(batches, ToolCall)] == [
        ("read_file", "read", True, None), ("replace", "edit", True, None), ("run_shell_command", "shell", False, 1),
        ("run_shell_command", "shell", True, None), ("invoke_agent", "agent", True, None),
        ("replace", "edit", True, None), ("web_fetch", "web", False, None), ("run_shell_command", "shell", True, None),
    ]  # fmt: skip
    assert events(batches, Compaction)[0].tokens_before == 10400
    assert events(batches, Subagent)[0].agent_id == AGENT
    assert len({event.uid for event in told}) == len(told)
    assert [event.occurred_at for event in told] == sorted(event.occurred_at for event in told)


def test_a_message_written_again_stands_once_in_its_first_place():
    _, batches = transcript("gemini", GEMINI / "transcript.jsonl")
    assert [event.n for event in events(batches, Reply)] == [3, 6, 10, 17]
    assert events(batches, ToolCall)[0].n == 3


def test_what_was_rewound_is_not_told():
    read, batches = transcript("gemini", GEMINI / "transcript.jsonl")
    assert all("Never mind" not in event.text for event in events(batches, Prompt))
    assert read.ignored == {"rewound": 1}


def test_tokens_of_a_wordless_message_go_to_the_next_reply():
    _, batches = transcript("gemini", GEMINI / "transcript.jsonl")
    replies = events(batches, Reply)
    assert replies[0].usage == Usage(input=9120, output=31 + 96)
    assert replies[1].usage == Usage(input=400 + 300, output=88 + 58, cache_read=9000 + 9300)


def test_a_subagent_is_a_child_with_a_task_and_no_prompt(tmp_path, monkeypatch):
    chats = tmp_path / ".gemini/tmp/orchard-api/chats" / SESSION
    chats.mkdir(parents=True)
    (chats / f"{AGENT}.jsonl").write_bytes((GEMINI / "subagents" / f"{AGENT}.jsonl").read_bytes())
    monkeypatch.setenv("HOME", str(tmp_path))
    (source,) = [source for source in HARNESSES["gemini-cli"].sources if list(source.files())]
    (read,) = source.read(next(source.files()))
    assert [type(event) for event in events(read)] == [Note, Reply, ToolCall]
    assert (read.session.native_id, read.session.parent_native_id) == (f"{SESSION}/{AGENT}", SESSION)


def test_a_subagents_file_alone_has_no_prompt_either():
    read, batches = transcript("gemini", GEMINI / "subagents" / f"{AGENT}.jsonl")
    assert events(batches, Prompt) == []
    assert read.session.native_id == AGENT


def test_an_older_file_is_one_object(tmp_path, monkeypatch):
    chats = tmp_path / ".gemini/tmp/abc/chats"
    chats.mkdir(parents=True)
    (chats / "session-2025.json").write_bytes((GEMINI / "legacy-session.json").read_bytes())
    (chats / "session-bad.json").write_bytes(b"[1")
    monkeypatch.setenv("HOME", str(tmp_path))
    told = [read for source in HARNESSES["gemini-cli"].sources for path in source.files() for read in source.read(path)]
    assert [[type(event) for event in events(read)] for read in told] == [[Prompt, Thinking, Reply], []]
    assert (told[0].session.native_id, told[0].session.model) == (SESSION, "gemini-2.5-pro")


def test_context_of_hooks_is_not_what_was_typed():
    lines = [
        {"sessionId": "s", "kind": "main"},
        {"id": "1", "type": "user", "content": [{"text": "<hook_context>old news</hook_context>"}, {"text": "hello"}]},
        {"id": "2", "type": "user", "content": [{"text": "@a.py expanded"}], "displayContent": [{"text": "see @a.py"}]},
    ]
    told = events(read_transcript("gemini", [json.dumps(line).encode() for line in lines]))
    assert [(type(event), event.text) for event in told] == [
        (Note, "<hook_context>old news</hook_context>"), (Prompt, "hello"), (Prompt, "see @a.py"),
    ]  # fmt: skip


def test_a_broken_line_loses_only_itself():
    lines = (GEMINI / "transcript.jsonl").read_bytes().splitlines()
    lines[4] = lines[4][:200]
    read = read_transcript("gemini", lines)
    assert len(events(read)) == 18
    assert read.skipped == {"not JSON": 1}
