import json
import sqlite3

import pytest

from stash_client.events import (
    Activity,
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
)
from stash_client.harnesses import parse_hook, read_cursor_database, read_transcript
from tests.client.harnesses.stories import SAMPLES, events, hook, only, transcript

SESSION = "040708d4-78ab-4f87-a613-f68954f08c9b"
AGENT = "65051a02-9a2c-461b-ae7e-dfc1c58e8f05"
FILE = "/home/mika/projects/orchard-api/src/client.py"
CURSOR = SAMPLES / "cursor"


def cursor(name):
    return hook("cursor", name)


@pytest.mark.parametrize("name, kind", [
    ("sessionStart", SessionStart), ("sessionEnd", SessionEnd), ("beforeSubmitPrompt", Prompt),
    ("preToolUse", Activity), ("postToolUse", ToolCall), ("postToolUse.shell_secret", ToolCall),
    ("postToolUseFailure", ToolCall), ("afterAgentResponse", Reply), ("afterAgentThought", Thinking),
    ("preCompact", Compaction), ("stop", TurnEnd),
])  # fmt: skip
def test_every_hook_is_one_event_of_its_conversation(name, kind):
    (batch,) = cursor(name)
    info = batch.session
    assert (info.harness, info.native_id, info.cwd, info.harness_version, info.model) == (
        "cursor", SESSION, "/home/mika/projects/orchard-api", "3.4.0", "claude-opus-5",
    )  # fmt: skip
    assert [type(event) for event in batch.events] == [kind]


@pytest.mark.parametrize("name", [
    "beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution", "beforeReadFile",
    "afterFileEdit",
])  # fmt: skip
def test_the_second_telling_of_a_call_is_dropped(name):
    assert cursor(name) == ()


def test_prompt_has_its_files():
    event = only(cursor("beforeSubmitPrompt"))
    assert event.text == "Add a retry budget to the HTTP client – the café-inventory sync keeps timing out ☕"
    assert (event.attachments, event.turn_id) == ((FILE,), "a2781342-d4b2-4248-ab49-705e979fa11e")


def test_address_of_the_person_is_not_kept():
    for path in CURSOR.glob("*.json"):
        for batch in parse_hook("cursor", path.read_bytes()):
            assert "mika@example.com" not in repr(batch)


def test_written_file_is_all_new_lines():
    event = only(cursor("postToolUse"))
    assert (event.name, event.family, event.ok, event.output, event.paths, event.duration_ms, event.call_id) == (
        "Write", "edit", True, None, (FILE,), 31, "tool_1292e3abcf9c",
    )  # fmt: skip
    assert event.diff.startswith("--- /dev/null\n+++ b/src/client.py\n@@ -0,0 +1,7 @@\n+MAX_RETRIES = 3\n")


def test_result_in_a_json_string_is_read():
    event = only(cursor("postToolUse.shell_secret"))
    assert (event.family, event.ok, event.exit_code) == ("shell", True, 0)
    assert event.output.startswith("ORCHARD_ENV=staging\n")


def test_failed_command_has_its_exit_code():
    event = only(cursor("postToolUseFailure"))
    assert (event.ok, event.exit_code, event.duration_ms, event.call_id) == (False, 1, 905, "tool_6bc2f9497374")


def test_what_runs_now():
    assert only(cursor("preToolUse")).text == "Running pytest -q"


def test_compaction_tells_its_tokens():
    event = only(cursor("preCompact"))
    assert (event.trigger, event.tokens_before) == ("auto", 172000)


@pytest.mark.parametrize("status, reason", [
    ("completed", "completed"), ("aborted", "interrupted"), ("error", "error"), ("new", "completed"),
])  # fmt: skip
def test_stop_says_how_the_turn_ended(status, reason):
    body = {"conversation_id": "c", "cursor_version": "3", "hook_event_name": "stop", "status": status}
    assert only(parse_hook("cursor", body)).reason == reason


def test_subagent_is_seen_in_both_sessions():
    above, own = cursor("subagentStart")
    assert (above.session.native_id, own.session.native_id) == (SESSION, f"{SESSION}/{AGENT}")
    assert (own.session.agent_type, own.session.model) == ("explore", "composer-2")
    assert only([above]).task == "Find every note about レート制限 (rate limits) under docs/ and report file and line."
    assert [type(event) for event in own.events] == [SessionStart, Note]
    above, own = cursor("subagentStop")
    assert own.session.native_id == f"{SESSION}/{AGENT}"
    assert [(type(event), event.agent_id, event.state) for event in above.events] == [(Subagent, AGENT, "finished")]
    assert [type(event) for event in own.events] == [Reply, SessionEnd]


def test_subagent_with_its_own_conversation_is_the_parents_child():
    body = {
        "conversation_id": AGENT, "parent_conversation_id": SESSION, "cursor_version": "3",
        "hook_event_name": "postToolUse", "tool_name": "Grep", "tool_input": {"pattern": "x"},
        "tool_output": "{}", "tool_use_id": "t",
    }  # fmt: skip
    (batch,) = parse_hook("cursor", body)
    assert (batch.session.native_id, batch.session.parent_native_id) == (f"{SESSION}/{AGENT}", SESSION)


def test_story_without_results():
    read, batches = transcript("cursor", CURSOR / "transcript.jsonl", native_id=SESSION)
    assert read.session.native_id == SESSION
    assert [prompt.text[:20] for prompt in events(batches, Prompt)] == [
        "Add a retry budget t", "Run the test suite, ", "Have a helper look t",
    ]  # fmt: skip
    assert len(events(batches, Reply)) == 4
    assert [(call.name, call.family, call.output, call.ok) for call in events(batches, ToolCall)] == [
        ("Read", "read", None, None), ("StrReplace", "edit", None, None), ("Shell", "shell", None, None),
        ("Shell", "shell", None, None), ("Task", "agent", None, None), ("StrReplace", "edit", None, None),
        ("Shell", "shell", None, None),
    ]  # fmt: skip
    assert len({event.uid for event in events(batches)}) == len(events(batches))


def test_story_with_results():
    _, batches = transcript("cursor", CURSOR / "transcript.with-results.jsonl", native_id=SESSION)
    assert [type(event) for event in events(batches)] == [Prompt, Thinking, ToolCall, Reply]
    (call,) = events(batches, ToolCall)
    assert call.call_id == "tool_84f090e723c3"
    assert call.output.startswith("ORCHARD_ENV=staging\n")


def test_legacy_text():
    _, batches = transcript("cursor", CURSOR / "transcript.legacy.txt", native_id=SESSION)
    assert [(type(event), event.n) for event in events(batches)] == [
        (Prompt, 2), (Thinking, 7), (Reply, 8), (ToolCall, 9), (Reply, 15),
    ]  # fmt: skip
    (call,) = events(batches, ToolCall)
    assert (call.name, call.input, call.paths) == ("Read", {"path": FILE}, (FILE,))
    assert events(batches, Prompt)[0].text.startswith("Add a retry budget")


def test_subagent_file_has_a_task_and_no_prompt():
    path = CURSOR / "subagents" / f"{AGENT}.jsonl"
    read, batches = transcript("cursor", path, native_id=f"{SESSION}/{AGENT}")
    assert read.session.parent_native_id == SESSION
    assert [type(event) for event in events(batches)] == [Note, ToolCall, Reply]


def test_context_around_the_query_is_not_the_prompt():
    text = "<system-reminder>be brief</system-reminder>\n<user_query>\nwhat does <user_query> mean?\n</user_query>"
    line = json.dumps({"role": "user", "message": {"content": [{"type": "text", "text": text}]}}).encode()
    note, prompt = events(read_transcript("cursor", [line]))
    assert (type(note), note.name) == (Note, "context")
    assert prompt.text == "what does <user_query> mean?"


def test_database_has_times_results_and_no_left_overs():
    (read,) = [(transcript, list(transcript)) for transcript in read_cursor_database(str(CURSOR / "state.vscdb"))]
    info, told = read[0].session, events(read[1])
    assert (info.native_id, info.title, info.model) == (SESSION, "Retry budget", "claude-opus-5")
    assert [(type(event), event.occurred_at[11:19]) for event in told] == [
        (Prompt, "09:15:05"), (Thinking, "09:15:13"), (ToolCall, "09:15:21"), (ToolCall, "09:15:29"),
        (Reply, "09:15:37"), (Prompt, "09:15:45"), (ToolCall, "09:15:53"), (ToolCall, "09:16:01"),
        (Reply, "09:16:09"), (Prompt, "09:16:17"), (ToolCall, "09:16:25"), (Reply, "09:16:33"),
    ]  # fmt: skip
    calls = [event for event in told if isinstance(event, ToolCall)]
    assert [(call.family, call.ok, call.exit_code) for call in calls] == [
        ("read", True, None), ("edit", True, None), ("shell", False, 1), ("shell", True, 0), ("agent", True, None),
    ]  # fmt: skip
    assert calls[0].output.startswith("MAX_RETRIES = 3\n")
    assert calls[3].output.startswith("ORCHARD_ENV=staging\n")
    assert calls[1].paths == ("src/client.py",)


def test_what_is_no_database_is_an_error(tmp_path):
    path = tmp_path / "state.vscdb"
    path.write_bytes(b"not a database, not at all" * 40)
    with pytest.raises(sqlite3.Error):
        list(read_cursor_database(str(path)))
