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
from stash_client.harnesses import parse_hook, read_transcript
from tests.client.harnesses.stories import CASES, SAMPLES, events, hook, only, transcript

SESSION = "019ab2f4-7c10-7d31-9e55-3b2f60c7a911"
AGENT = "019ab2f7-0a3e-7b02-8c41-5d90e2f1b384"
TURNS = {
    None: None,
    1: "019ab2f4-9007-7aa0-8000-000000000001",
    2: "019ab2f4-9014-7aa0-8000-000000000002",
    3: "019ab2f4-9021-7aa0-8000-000000000003",
}
REPORT = "docs/limits.ja.md line 12 says 上限は毎分20回です (the limit is 20 per minute). Nothing else mentions it."
STORY = SAMPLES / "codex" / "transcript.jsonl"
T06 = sorted(CASES.glob("T06.codex-*.jsonl"))


def codex(name):
    return hook("codex", name)


def rollout(*payloads):
    """Lines of (record type, payload)."""
    return [json.dumps({"type": kind, "payload": payload}).encode() for kind, payload in payloads]


@pytest.mark.parametrize("name, kind, turn", [
    ("SessionStart", SessionStart, None), ("SessionStart.resume", SessionStart, None),
    ("SessionStart.compact", SessionStart, None), ("UserPromptSubmit", Prompt, 1), ("PreToolUse", Activity, 1),
    ("PreToolUse.mcp", Activity, 1), ("PostToolUse", ToolCall, 1), ("PostToolUse.bash_failing", ToolCall, 2),
    ("PostToolUse.bash_secret", ToolCall, 2), ("PostToolUse.in_subagent", ToolCall, 3),
    ("PermissionRequest", Attention, 2), ("PreCompact", Activity, 2), ("PostCompact", Compaction, 2),
    ("Stop.null_message", TurnEnd, 2), ("Interrupt", TurnEnd, 2), ("SessionEnd", SessionEnd, None),
])  # fmt: skip
def test_every_hook_is_one_event_of_its_turn(name, kind, turn):
    (batch,) = codex(name)
    (event,) = batch.events
    assert (batch.session.harness, type(event), event.turn_id) == ("codex", kind, TURNS[turn])


def test_all_samples_are_covered():
    names = {path.stem for path in (SAMPLES / "codex").glob("*.json")}
    assert len(names) == 19


def test_patch_is_an_edit_with_its_diff():
    event = only(codex("PostToolUse"))
    assert (event.family, event.paths, event.ok, event.exit_code) == ("edit", ("src/client.py",), True, None)
    assert event.diff == (
        "--- a/src/client.py\n+++ b/src/client.py\n@@ -1,1 +1,2 @@\n"
        "-MAX_RETRIES = 3\n+MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n"
    )


def test_finished_command_is_not_yet_a_success():
    event = only(codex("PostToolUse.bash_failing"))
    assert (event.name, event.family, event.ok, event.exit_code) == ("Bash", "shell", None, None)
    assert event.output.startswith("F. ")


def test_exit_code_in_the_output_header_decides():
    body = {
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "false"},
        "tool_response": "Exit code: 3\nWall time: 0.5 seconds\nOutput:\noops\n",
    }  # fmt: skip
    event = only(parse_hook("codex", body))
    assert (event.output, event.ok, event.exit_code, event.duration_ms) == ("oops\n", False, 3, 500)


def test_subagent_events_belong_to_the_child():
    (batch,) = codex("PostToolUse.in_subagent")
    info = batch.session
    assert (info.native_id, info.parent_native_id, info.agent_type) == (f"{SESSION}/{AGENT}", SESSION, "explorer")
    above, own = codex("SubagentStop")
    assert [type(event) for event in above.events] == [Subagent]
    assert [(type(event), getattr(event, "text", None)) for event in own.events] == [
        (Reply, REPORT), (SessionEnd, None),
    ]  # fmt: skip
    assert [batch.session.native_id for batch in codex("SubagentStart")] == [SESSION, f"{SESSION}/{AGENT}"]


def test_permission_shows_the_command():
    event = only(codex("PermissionRequest"))
    assert (event.what, event.command, event.text) == (
        "permission", "pytest -q", "Run the tests outside the sandbox?",
    )  # fmt: skip


def test_stop_is_reply_and_end():
    (batch,) = codex("Stop")
    assert [type(event) for event in batch.events] == [Reply, TurnEnd]


@pytest.mark.parametrize("path", T06, ids=lambda path: path.stem)
def test_messages_told_twice_count_once(path):
    expected = json.loads((CASES / "T06.expected.json").read_text())
    _, batches = transcript("codex", path)
    prompts, replies = events(batches, Prompt), events(batches, Reply)
    assert [prompt.text for prompt in prompts] == expected["each_file"]["prompts"]
    assert len(replies) == expected["each_file"]["answers"]
    assert len(events(batches, ToolCall)) == expected["each_file"]["tool_calls"]
    usage = [reply.usage for reply in replies if reply.usage]
    assert sum(u.input + u.output + u.cache_read + u.cache_write for u in usage) == 330
    assert not [p for p in prompts for word in expected["never_a_prompt"] if word in p.text]


def test_story_as_a_whole():
    read, batches = transcript("codex", STORY)
    info = read.session
    assert (info.native_id, info.branch, info.commit, info.model, info.harness_version) == (
        SESSION, "feat/retry-budget", "4203ba89ddcda9d9c7877e2a6f8c63a7cb63dc5b", "gpt-5.5-codex", "0.154.0",
    )  # fmt: skip
    assert [(type(event).__name__, (event.turn_id or "-")[-1]) for event in events(batches)] == [
        ("Note", "-"), ("Note", "-"),
        ("Prompt", "1"), ("Thinking", "1"), ("Reply", "1"), ("ToolCall", "1"), ("ToolCall", "1"), ("Reply", "1"),
        ("TurnEnd", "1"),
        ("Prompt", "2"), ("ToolCall", "2"), ("ToolCall", "2"), ("Reply", "2"), ("TurnEnd", "2"), ("Compaction", "2"),
        ("Prompt", "3"), ("Thinking", "3"), ("ToolCall", "3"), ("Subagent", "3"), ("ToolCall", "3"), ("Subagent", "3"),
        ("ToolCall", "3"), ("ToolCall", "3"), ("Reply", "3"), ("TurnEnd", "3"),
    ]  # fmt: skip
    assert not read.skipped
    assert len({event.uid for event in events(batches)}) == len(events(batches))


def test_story_puts_tokens_on_the_answer_before_them():
    replies = events(transcript("codex", STORY)[1], Reply)
    assert [reply.usage for reply in replies] == [
        None, Usage(1440, 341, 7680), Usage(2770, 512, 9120), Usage(3100, 288, 3120),
    ]  # fmt: skip


def test_story_knows_how_commands_ended():
    calls = events(transcript("codex", STORY)[1], ToolCall)
    assert [(call.name, call.ok, call.exit_code) for call in calls] == [
        ("Bash", True, 0), ("apply_patch", True, 0), ("Bash", False, 1), ("Bash", True, 0), ("spawn_agent", None, None),
        ("wait_agent", None, None), ("apply_patch", True, 0), ("Bash", True, 0),
    ]  # fmt: skip
    assert calls[2].input == {"command": "pytest -q", "workdir": "/home/mika/projects/orchard-api"}
    assert (calls[2].output.startswith("F. "), calls[2].duration_ms) == (True, 400)


def test_story_tells_start_and_report_of_the_subagent():
    started, finished = events(transcript("codex", STORY)[1], Subagent)
    assert (started.agent_id, started.agent_type, started.state) == (AGENT, "explorer", "started")
    assert (finished.agent_id, finished.agent_type, finished.state, finished.text) == (
        AGENT, "explorer", "finished", REPORT,
    )  # fmt: skip


def test_subagent_rollout_is_a_child():
    read, batches = transcript("codex", SAMPLES / "codex" / "subagent-rollout.jsonl")
    info = read.session
    assert (info.native_id, info.parent_native_id, info.agent_type) == (f"{SESSION}/{AGENT}", SESSION, "explorer")
    assert [type(event) for event in events(batches)] == [Note, ToolCall, Reply]
    assert events(batches)[-1].usage == Usage(4100, 63)


def test_repeated_token_counts_add_nothing():
    count = {"type": "token_count", "info": {
        "total_token_usage": {"input_tokens": 10, "output_tokens": 1},
        "last_token_usage": {"input_tokens": 10, "output_tokens": 1},
    }}  # fmt: skip
    grown = {"type": "token_count", "info": {
        "total_token_usage": {"input_tokens": 25, "output_tokens": 3},
        "last_token_usage": {"input_tokens": 15, "output_tokens": 2},
    }}  # fmt: skip
    lines = rollout(
        ("event_msg", {"type": "agent_message", "message": "one"}), ("event_msg", count), ("event_msg", count),
        ("event_msg", {"type": "token_count", "info": None}),
        ("event_msg", {"type": "agent_message", "message": "two"}), ("event_msg", grown),
    )  # fmt: skip
    assert [reply.usage for reply in events(read_transcript("codex", lines), Reply)] == [Usage(10, 1), Usage(15, 2)]


def test_tokens_of_answers_without_text_go_to_the_next():
    def count(total):
        return "event_msg", {"type": "token_count", "info": {"total_token_usage": {"output_tokens": total}}}

    lines = rollout(
        ("response_item", {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"}), count(5),
        ("response_item", {"type": "function_call_output", "call_id": "c", "output": "ok"}),
        ("event_msg", {"type": "agent_message", "message": "done"}), count(7),
    )  # fmt: skip
    (reply,) = events(read_transcript("codex", lines), Reply)
    assert reply.usage == Usage(output=7)


def test_genuine_repeats_are_kept_whatever_the_kind():
    lines = rollout(*[("event_msg", {"type": "user_message", "message": "again"})] * 3)
    assert len(events(read_transcript("codex", lines), Prompt)) == 3


def test_old_shell_calls_and_json_results():
    lines = rollout(
        ("response_item", {"type": "function_call", "name": "shell", "call_id": "c",
                           "arguments": '{"command": ["bash", "-lc", "ls -l"]}'}),
        ("response_item", {"type": "function_call_output", "call_id": "c",
                           "output": '{"output": "a.py\\n", "metadata": {"exit_code": 2, "duration_seconds": 0.2}}'}),
    )  # fmt: skip
    (call,) = events(read_transcript("codex", lines))
    assert (call.name, call.input, call.output, call.ok, call.exit_code, call.duration_ms) == (
        "Bash", {"command": "ls -l"}, "a.py\n", False, 2, 200,
    )  # fmt: skip


def test_web_search_has_no_result_record():
    action = {"type": "search", "query": "retry budget"}
    (call,) = events(
        read_transcript("codex", rollout(("response_item", {"type": "web_search_call", "action": action})))
    )
    assert (call.name, call.family, call.input) == ("web_search", "web", action)


@pytest.mark.parametrize("payload, reason, text", [
    ({"type": "turn_aborted", "reason": "interrupted"}, "interrupted", ""),
    ({"type": "error", "message": "stream disconnected"}, "error", "stream disconnected"),
    ({"type": "task_complete", "turn_id": "t"}, "completed", ""),
])  # fmt: skip
def test_turns_end_in_three_ways(payload, reason, text):
    (event,) = events(read_transcript("codex", rollout(("event_msg", payload))))
    assert (type(event), event.reason, event.text) == (TurnEnd, reason, text)


def test_fork_keeps_its_own_id():
    meta = {"id": "fork", "cwd": "/w"}
    read = read_transcript("codex", rollout(("session_meta", meta), ("session_meta", {"id": "origin"})))
    list(read)
    assert read.session.native_id == "fork"


def test_unknown_records_are_notes():
    lines = rollout(("of_the_future", {"x": 1}), ("event_msg", {"type": "brand_new", "y": "findable"}))
    assert [(note.name, note.text) for note in events(read_transcript("codex", lines), Note)] == [
        ("of_the_future", "x: 1"), ("brand_new", "type: brand_new\ny: findable"),
    ]  # fmt: skip


def test_thinking_told_twice_counts_once():
    assert len(events(transcript("codex", STORY)[1], Thinking)) == 2
