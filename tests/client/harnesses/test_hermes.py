import json
import shutil
import sqlite3

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
from stash_client.harnesses import HARNESSES, hook_answer, parse_hook, read_transcript
from tests.client.harnesses.stories import SAMPLES, events, hook, only, transcript

HERMES = SAMPLES / "hermes"
SESSION, AGENT = "20261124_091500_4ab11a", "20261124_091735_77ea32"
STORY = [
    Prompt, Thinking, Reply, ToolCall, ToolCall, Reply, Prompt, ToolCall, ToolCall, Reply, Prompt, Thinking, ToolCall,
    ToolCall, ToolCall, Reply,
]  # fmt: skip


@pytest.mark.parametrize("name, kinds", [
    ("on_session_start", [SessionStart]), ("pre_llm_call", [Prompt]), ("pre_tool_call", [Activity]),
    ("post_llm_call", [Reply]), ("on_session_end", [TurnEnd]), ("on_session_finalize", [SessionEnd]),
    ("on_session_reset", []), ("pre_approval_request", [Attention]), ("post_tool_call", [ToolCall]),
])  # fmt: skip
def test_hooks_mean(name, kinds):
    assert [type(event) for event in events(hook("hermes", name))] == kinds


def test_the_end_of_a_turn_is_not_the_sessions():
    done, broken = only(hook("hermes", "on_session_end")), only(hook("hermes", "on_session_end.interrupted"))
    assert (done.reason, done.turn_id, broken.reason) == ("completed", "turn-1", "interrupted")


def test_a_session_ends_under_its_old_name():
    (batch,) = hook("hermes", "on_session_finalize.boundary")
    assert batch.session.native_id == SESSION


def test_a_conversation_sent_along_is_not_kept():
    for name in ("pre_llm_call", "post_llm_call"):
        assert "conversation_history" not in str(events(hook("hermes", name)))


def test_a_failing_command_is_ok_with_an_exit_code_inside():
    call = only(hook("hermes", "post_tool_call.terminal_failing"))
    assert (call.family, call.ok, call.exit_code, call.call_id) == ("shell", False, 1, "call_h2")
    assert call.output.endswith("1 failed, 1 passed in 0.38s")


def test_a_tool_that_failed_says_why():
    call = only(hook("hermes", "post_tool_call.tool_error"))
    assert (call.ok, call.output, call.duration_ms) == (False, "request failed with 503", 210)


def test_an_edit_is_its_diff():
    call = only(hook("hermes", "post_tool_call"))
    assert (call.family, call.ok, call.output) == ("edit", True, None)
    assert call.diff.endswith("@@ -1 +1,2 @@\n MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n")


def test_an_approval_shows_the_command_whole():
    wish = only(hook("hermes", "pre_approval_request"))
    assert (wish.what, wish.command, wish.text) == ("permission", "rm -rf build", "recursive delete")


def test_subagents_are_told_in_the_session_above_and_begin_and_end_their_own():
    above, own = hook("hermes", "subagent_start")
    assert (above.session.native_id, own.session.native_id) == (SESSION, f"{SESSION}/{AGENT}")
    assert (only([above]).task[:10], type(only([own]))) == ("Find every", SessionStart)
    above, own = hook("hermes", "subagent_stop")
    assert (only([above]).state, only([above]).text[:17]) == ("finished", "docs/limits.ja.md")
    assert (type(only([own])), own.session.parent_native_id) == (SessionEnd, SESSION)


@pytest.mark.parametrize("event, answer", [("pre_llm_call", {"context": "x"}), ("on_session_start", None)])
def test_context_goes_before_the_models_call(event, answer):
    assert hook_answer("hermes", event, "x") == (json.dumps(answer).encode() if answer else b"")


# The store


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    path = tmp_path / ".hermes/state.db"
    path.parent.mkdir()
    shutil.copy(HERMES / "state.db", path)
    return path


def stored():
    for source in HARNESSES["hermes"].sources:
        for path in source.files():
            for read in source.read(path):
                yield read, list(read)


def test_a_subagents_own_hooks_find_the_session_above(store):
    body = {"hook_event_name": "pre_llm_call", "session_id": AGENT, "cwd": "/", "extra": {"user_message": "look"}}
    (batch,) = parse_hook("hermes", body, on_its_machine=True)
    assert (batch.session.native_id, batch.session.parent_native_id) == (f"{SESSION}/{AGENT}", SESSION)
    assert batch.session.cwd == "/home/mika/projects/orchard-api"
    assert (type(only([batch])), only([batch]).name) == (Note, "task")


def test_an_approval_without_a_session_is_asked_by_the_one_that_runs_there(store):
    with sqlite3.connect(store) as database:
        database.execute("UPDATE sessions SET ended_at = NULL WHERE id = ?", (SESSION,))
    (batch,) = hook("hermes", "pre_approval_request", on_its_machine=True)
    assert batch.session.native_id == SESSION


def test_without_a_store_a_payload_says_what_it_says(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (batch,) = hook("hermes", "pre_llm_call", on_its_machine=True)
    assert (batch.session.native_id, batch.session.cwd) == (SESSION, "/home/mika/projects/orchard-api")


def test_story_of_the_store(store):
    (main, told), (child, its) = stored()
    assert [type(event) for event in events(told)] == STORY
    info = main.session
    assert (info.native_id, info.title, info.branch) == (SESSION, "Retry budget", "feat/retry-budget")
    assert [(c.name, c.family, c.ok, c.exit_code) for c in events(told, ToolCall)] == [
        ("read_file", "read", True, None), ("patch", "edit", True, None), ("terminal", "shell", False, 1),
        ("terminal", "shell", True, 0), ("delegate_task", "agent", True, None), ("patch", "edit", True, None),
        ("terminal", "shell", True, 0),
    ]  # fmt: skip
    assert [type(event) for event in events(its)] == [Note, ToolCall, Reply, Subagent]
    assert child.session.native_id == f"{SESSION}/{AGENT}"
    assert [batch.session.native_id for batch in its] == [f"{SESSION}/{AGENT}", SESSION]
    (report,) = events(its, Subagent)
    assert (report.agent_id, report.state, report.text[:17]) == (AGENT, "finished", "docs/limits.ja.md")
    assert len({event.uid for event in events(told + its)}) == len(events(told + its))


def test_an_export_tells_the_same_as_the_store(store):
    _, exported = transcript("hermes", HERMES / "transcript.jsonl")
    assert events(exported) == [event for _, batches in stored() for event in events(batches)]


def test_the_last_words_carry_the_tokens_no_message_told(store):
    (_, told), _ = stored()
    usages = [reply.usage for reply in events(told, Reply) if reply.usage]
    assert usages[-1] == Usage(input=9120, output=690 - 58 - 77)
    assert sum(usage.output for usage in usages) == 690


def test_a_compressed_session_goes_on_as_another_one(store):
    with sqlite3.connect(store) as database:
        database.execute("UPDATE sessions SET end_reason = 'compression' WHERE id = ?", (SESSION,))
        database.execute("UPDATE sessions SET source = 'cli' WHERE id = ?", (AGENT,))
    _, (other, its) = stored()
    assert (other.session.native_id, other.session.parent_native_id) == (AGENT, None)
    assert [type(event) for event in events(its)] == [Compaction, Prompt, ToolCall, Reply]


def test_an_older_store_may_lack_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    with sqlite3.connect(tmp_path / "state.db") as database:
        database.execute("CREATE TABLE sessions (id, started_at)")
        database.execute("CREATE TABLE messages (id, session_id, role, content)")
        database.execute("INSERT INTO sessions VALUES ('s', NULL)")
        database.execute(
            "INSERT INTO messages VALUES (1, 's', 'user', 'hello'), (2, 's', 'tool', x'00ff'), (3, 's', 4, 5)"
        )
    ((read, told),) = stored()
    assert [type(event) for event in events(told)] == [Prompt, ToolCall, Note]


def test_a_summary_of_what_was_compacted_is_no_prompt():
    line = {"id": "s", "messages": [{"id": 1, "role": "user", "content": "[CONTEXT COMPACTION] Earlier turns …"}]}
    (event,) = events(read_transcript("hermes", [json.dumps(line).encode()]))
    assert type(event) is Compaction


def test_a_broken_line_loses_only_itself():
    lines = (HERMES / "transcript.jsonl").read_bytes().splitlines()
    read = read_transcript("hermes", [lines[0], lines[1][:50], lines[1]])
    assert len(events(read)) == len(STORY) + 4
    assert read.skipped == {"not JSON": 1}
