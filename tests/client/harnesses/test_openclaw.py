import json
import shutil
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
    Usage,
)
from stash_client.harnesses import HARNESSES, hook_answer, parse_hook, read_transcript
from tests.client.harnesses.stories import SAMPLES, events, only, transcript

OPENCLAW = SAMPLES / "openclaw"
SESSION, CHILD = "ce183f09-256d-4f09-a93a-4df0c23f2a9e", "d83d3d4c-bcc2-46e6-aa57-db1ee1f5fad7"
AGENT = "f55d6b00-3eb1-44fe-a3bf-29238e7d7621"
SLOT = f"agent:main:subagent:{AGENT}"
STORY = [
    Prompt, Thinking, Reply, ToolCall, ToolCall, Reply, Prompt, ToolCall, ToolCall, Reply, Compaction, Prompt, Thinking,
    ToolCall, Subagent, Subagent, ToolCall, ToolCall, Reply,
]  # fmt: skip


def hook(name, **options):
    return parse_hook(
        "openclaw", (OPENCLAW / f"{name}.json").read_bytes(), event=name.partition(".")[0], **options
    )  # fmt: skip


@pytest.mark.parametrize("name, kinds", [
    ("session_start", [SessionStart]), ("before_message_write.user", [Prompt]), ("before_tool_call", [Activity]),
    ("before_message_write.assistant", [Reply]), ("after_tool_call", [ToolCall]), ("agent_end", [TurnEnd]),
    ("before_compaction", [Activity]), ("after_compaction", [Compaction]), ("session_end", [SessionEnd]),
    ("subagent_spawned", [Subagent, SessionStart]), ("subagent_ended", [Subagent, SessionEnd]),
    ("before_prompt_build", []), ("llm_output", []), ("message_received", []), ("message_sent", []),
    ("before_reset", []),
])  # fmt: skip
def test_hooks_mean(name, kinds):
    assert [type(event) for event in events(hook(name))] == kinds


def test_a_session_goes_on_or_makes_way_for_another():
    assert only(hook("session_start.resumed")).source == "resume"
    ended = only(hook("session_end.reset"))
    assert (ended.reason, ended.extra) == ("new", {"next_session_id": "ba447f3b-ced5-4aa4-ae08-cf98125e0821"})


def test_a_turn_that_failed_says_how():
    assert (only(hook("agent_end.failed")).reason, only(hook("agent_end")).reason) == ("interrupted", "completed")


def test_a_failing_command_has_its_exit_code_among_the_details():
    call = only(hook("after_tool_call.exec_failing"))
    assert (call.family, call.ok, call.exit_code, call.call_id) == ("shell", False, 1, "call_oc1")
    assert call.output.endswith("1 failed, 1 passed in 0.38s")


def test_a_tool_that_failed_says_why():
    call = only(hook("after_tool_call.error"))
    assert (call.ok, call.output, call.duration_ms) == (False, "request failed with 503", 130)


def test_an_edit_has_a_diff():
    call = only(hook("after_tool_call"))
    assert (call.family, call.paths) == ("edit", ("src/client.py",))
    assert call.diff.endswith("@@ -1 +1,2 @@\n MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n")


@pytest.mark.parametrize("message", [
    {"role": "toolResult", "content": [{"type": "text", "text": "x"}]}, {"role": "custom", "content": "x"}, {}, None, 3,
    {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "exec"}]}, {"role": "user"},
])  # fmt: skip
def test_messages_nobody_said_are_left_out(message):
    body = {"event": {"message": message}, "ctx": {"sessionId": "s"}}
    assert events(parse_hook("openclaw", body, event="before_message_write")) == []


def test_context_is_given_to_the_plugin():
    assert hook_answer("openclaw", "before_prompt_build", "x") == b'{"appendSystemContext": "x"}'
    assert hook_answer("openclaw", "session_start", "x") == b""


# The store


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A gateway's store in which the session of the samples is in its slot."""
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path))
    path = tmp_path / "agents/main/agent/openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    shutil.copy(OPENCLAW / "openclaw-agent.sqlite", path)
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM session_nodes")
        node = "INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at, parent_session_key)"
        database.execute(f"{node} VALUES (?, ?, '{{}}', 1, NULL)", ("agent:main:main", SESSION))
        database.execute(f"{node} VALUES (?, ?, '{{}}', 1, 'agent:main:main')", (SLOT, CHILD))
    return path


def stored():
    for source in HARNESSES["openclaw"].sources:
        for path in source.files():
            for read in source.read(path):
                yield read, list(read)


@pytest.mark.parametrize("name", ["before_message_write.user", "before_message_write.assistant"])
def test_a_message_belongs_to_the_session_in_its_slot(store, name):
    (batch,) = hook(name, on_its_machine=True)
    assert batch.session.native_id == SESSION


@pytest.mark.parametrize("name", ["subagent_spawned", "subagent_ended"])
def test_a_subagent_belongs_to_the_session_in_the_slot_that_asked(store, name):
    above, own = hook(name, on_its_machine=True)
    assert (above.session.native_id, own.session.native_id) == (SESSION, f"{SESSION}/{AGENT}")
    assert only([above]).agent_id == AGENT


def test_a_subagents_own_hooks_find_the_session_above(store):
    body = {"event": {"message": {"role": "user", "content": "look"}}, "ctx": {"sessionKey": SLOT, "sessionId": CHILD}}
    (batch,) = parse_hook("openclaw", body, event="before_message_write", on_its_machine=True)
    assert (batch.session.native_id, batch.session.parent_native_id) == (f"{SESSION}/{AGENT}", SESSION)
    assert (type(only([batch])), only([batch]).name) == (Note, "task")


def test_story_of_the_store(store):
    (main, told), (child, its) = stored()
    assert [type(event) for event in events(told)] == STORY
    assert (main.session.native_id, main.session.title) == (SESSION, "Retry budget")
    assert [(c.name, c.family, c.ok, c.exit_code) for c in events(told, ToolCall)] == [
        ("read", "read", True, None), ("edit", "edit", True, None), ("exec", "shell", False, 1),
        ("exec", "shell", True, None), ("sessions_spawn", "agent", True, None), ("edit", "edit", True, None),
        ("exec", "shell", True, None),
    ]  # fmt: skip
    assert events(told, Reply)[0].usage == Usage(6, 212, 0, 18211)
    assert [type(event) for event in events(its)] == [Note, ToolCall, Reply]
    assert (child.session.native_id, child.session.title) == (f"{SESSION}/{AGENT}", None)
    assert len({event.uid for event in events(told + its)}) == len(events(told + its))


def test_a_report_comes_as_a_message_after_the_call():
    _, batches = transcript("openclaw", OPENCLAW / "transcript.jsonl")
    started, finished = events(batches, Subagent)
    assert (started.agent_id, started.state, finished.agent_id, finished.state) == (AGENT, "started", AGENT, "finished")
    assert finished.text.startswith("docs/limits.ja.md line 12")
    assert finished.task == started.task != ""


def test_lines_tell_the_same_as_the_store(store):
    _, lines = transcript("openclaw", OPENCLAW / "transcript.jsonl")
    (_, told), _ = stored()
    assert [(e.kind, e.uid, e.occurred_at) for e in events(lines)] == [
        (e.kind, e.uid, e.occurred_at) for e in events(told)
    ]


def test_entries_packed_in_a_way_nobody_can_read_are_counted(store):
    with sqlite3.connect(store) as database:
        database.execute("UPDATE transcript_events SET event_json = NULL, event_zstd = x'00' WHERE seq = 6")
    (main, told), _ = stored()
    assert len(events(told)) == len(STORY) - 1
    assert main.skipped == {"packed in a way this Python cannot read": 1}


def test_sessions_that_ask_each_other_are_read_nevertheless(store):
    with sqlite3.connect(store) as database:
        database.execute("UPDATE session_windows SET parent_session_key = session_key, spawned_by = session_key")
        database.execute("UPDATE session_nodes SET parent_session_key = session_key")
    assert len(list(stored())) == 2
    body = {"event": {"message": {"role": "user", "content": "look"}}, "ctx": {"sessionKey": SLOT}}
    assert events(parse_hook("openclaw", body, event="before_message_write", on_its_machine=True))


def test_older_sessions_are_files_with_an_index(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path))
    folder = tmp_path / "agents/main/sessions"
    folder.mkdir(parents=True)
    for name, sample in [(SESSION, "transcript.jsonl"), (CHILD, "subagent.jsonl"), ("lost", "subagent.jsonl")]:
        shutil.copy(OPENCLAW / sample, folder / f"{name}.jsonl")
    index = {
        "agent:main:main": {"sessionId": SESSION, "displayName": "Retry budget"},
        SLOT: {"sessionId": CHILD, "spawnedBy": "agent:main:main"},
    }
    (folder / "sessions.json").write_text(json.dumps(index))
    told = {read.session.native_id: batches for read, batches in stored()}
    assert set(told) == {SESSION, f"{SESSION}/{AGENT}", "lost"}
    assert [type(event) for event in events(told[SESSION])] == STORY
    assert [type(event) for event in events(told[f"{SESSION}/{AGENT}"])] == [Note, ToolCall, Reply]
    assert [type(event) for event in events(told["lost"])] == [Prompt, ToolCall, Reply]


# A tree of entries


def said(key, parent, text, role="user"):
    return {"type": "message", "id": key, "parentId": parent, "message": {"role": role, "content": text}}


def test_only_the_branch_that_was_gone_on_with_is_told():
    lines = [
        {"type": "session", "id": "s"}, said("a", None, "one"), said("b", "a", "two"), said("c", "b", "three"),
        said("d", "a", "two again"), {"type": "reset", "id": "e", "parentId": "d"}, said("f", "e", "three again"),
    ]  # fmt: skip
    read = read_transcript("openclaw", [json.dumps(line).encode() for line in lines])
    told = events(read)
    assert [getattr(event, "text", "reset") for event in told] == ["one", "two again", "reset", "three again"]
    assert read.ignored == {"left branch": 2}


def test_entries_without_parents_follow_each_other():
    lines = [{"type": "message", "message": {"role": "user", "content": text}} for text in ("one", "two")]
    assert len(events(read_transcript("openclaw", [json.dumps(line).encode() for line in lines]))) == 2


def test_a_broken_line_loses_only_itself():
    lines = (OPENCLAW / "transcript.jsonl").read_bytes().splitlines()
    lines[6] = lines[6][:90]
    read = read_transcript("openclaw", lines)
    assert len(events(read)) == len(STORY) - 1
    assert (read.skipped, read.ignored) == ({"not JSON": 1}, {"custom": 1})
