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
from tests.client.harnesses.stories import CASES, SAMPLES, case_lines, events, only, store_after, transcript

OPENCODE = SAMPLES / "opencode"
SESSION, AGENT = "ses_d337ad990003ffefb2c7b13ce3", "ses_ba7a99277ba9ffe79895e93fda"
FIRST, LAST = "msg_9b0eb281816d001fb3af2843fb", "msg_b4c293247d6d00176e568a3587"
FILE = "/home/mika/projects/orchard-api/src/client.py"
STORY = [
    Prompt, Thinking, ToolCall, ToolCall, Reply, Prompt, ToolCall, ToolCall, Reply, Compaction, Prompt, ToolCall,
    Subagent, ToolCall, ToolCall, ToolCall, Reply,
]  # fmt: skip


def hook(name, event=None, **options):
    body = (OPENCODE / f"{name}.json").read_bytes()
    return parse_hook("opencode", body, event=event or name.partition(".")[2], **options)


@pytest.mark.parametrize("name, kinds", [
    ("event.session.created", [SessionStart]), ("event.session.created.subagent", [Subagent, SessionStart]),
    ("hook.chat.message", [Prompt]), ("hook.tool.execute.before", [Activity]), ("event.session.idle", [TurnEnd]),
    ("hook.tool.execute.after", [ToolCall]), ("event.session.compacted", [Compaction]),
    ("event.session.deleted", [SessionEnd]), ("event.permission.updated", [Attention]),
    ("event.message.part.updated", []), ("event.message.updated.assistant", []), ("event.message.updated.user", []),
    ("event.session.status", []), ("event.session.updated", []), ("event.file.edited", []),
    ("hook.experimental.chat.system.transform", []), ("hook.experimental.session.compacting", [Activity]),
])  # fmt: skip
def test_hooks_mean(name, kinds):
    batches = hook(name)
    assert [type(event) for event in events(batches)] == kinds
    assert {batch.session.native_id for batch in batches} <= {SESSION, f"{SESSION}/{AGENT}"}


def test_a_prompt_is_what_was_typed_under_its_messages_id():
    prompt = only(hook("hook.chat.message"))
    assert prompt.text.startswith("Add a retry budget")
    assert "Called the Read tool" not in prompt.text
    assert (prompt.turn_id, prompt.message_id) == (FIRST, FIRST)


def test_a_failing_command_has_its_exit_code_beside_it():
    call = only(hook("hook.tool.execute.after"))
    assert (call.family, call.ok, call.exit_code, call.call_id) == ("shell", False, 1, "toolu_8008b3a50119eb04bed5c6")
    assert only(hook("hook.tool.execute.after.secret", event="tool.execute.after")).exit_code == 0


def test_an_aborted_turn_is_interrupted():
    assert only(hook("event.session.error")).reason == "interrupted"
    body = {
        "type": "session.error",
        "properties": {"sessionID": "s", "error": {"name": "APIError", "data": {"message": "429"}}},
    }
    ended = only(parse_hook("opencode", body))
    assert (ended.reason, ended.text) == ("error", "429")


def test_the_wish_to_run_a_command_shows_it():
    assert only(hook("event.permission.updated")).command == "pytest -q"


def test_a_subagent_is_announced_in_the_session_above():
    above, own = hook("event.session.created.subagent")
    assert (above.session.native_id, own.session.native_id) == (SESSION, f"{SESSION}/{AGENT}")
    assert (only([above]).agent_id, only([above]).agent_type, own.session.agent_type) == (AGENT, "explore", "explore")


def test_a_tool_that_threw_is_told_by_its_part():
    state = {"status": "error", "input": {"url": "x"}, "error": "503", "time": {"start": 5, "end": 9}}
    part = {"type": "tool", "callID": "c", "tool": "webfetch", "sessionID": "s", "messageID": "m", "state": state}
    call = only(parse_hook("opencode", {"type": "message.part.updated", "properties": {"part": part}}))
    assert (call.ok, call.output, call.call_id, call.duration_ms, call.family) == (False, "503", "c", 4, "web")


def text_part(time, **fields):
    part = {"type": "text", "text": "Done.", "sessionID": "s", "messageID": "m", "id": "p", **fields}
    return {"type": "message.part.updated", "properties": {"part": {**part, **({"time": time} if time else {})}}}


@pytest.mark.parametrize("body, said", [
    (text_part({"start": 1}), False), (text_part({"start": 1, "end": 2}), True), (text_part(None), False),
    ({**text_part({"start": 1}), "hook": "message.part.updated"}, True),
    ({**text_part(None), "hook": "message.part.updated"}, False),
    (text_part({"start": 1, "end": 2}, synthetic=True), False), (text_part({"start": 1, "end": 2}, text=" "), False),
])  # fmt: skip
def test_only_a_text_that_is_final_is_an_answer(body, said):
    told = events(parse_hook("opencode", body))
    assert [(type(event), event.message_id) for event in told] == ([(Reply, "m")] if said else [])


def test_context_is_given_to_the_plugin():
    assert hook_answer("opencode", "experimental.chat.system.transform", "x") == b'{"context": "x"}'
    assert hook_answer("opencode", "chat.message", "x") == b""


# Streaming and repeated bus events


def expected():
    return json.loads((CASES / "T11.expected.json").read_text())


def test_a_log_of_repeated_events_tells_each_thing_once():
    read, batches = transcript("opencode", CASES / "T11.opencode-events.jsonl")
    want = expected()
    assert len({batch.session.native_id for batch in batches}) == want["sessions"]
    assert len(events(batches, Prompt)) == want["prompts"]
    assert [reply.text for reply in events(batches, Reply)] == want["answers"]
    assert [call.name for call in events(batches, ToolCall)] == [call["tool"] for call in want["tool_calls"]]
    assert all(call.ok for call in events(batches, ToolCall))
    assert events(batches, Prompt)[0].text == "rename the column\n\n[plugin] extra text"
    assert (read.session.title, read.session.cwd) == ("Rename column", "/home/dana/work/shop")


def test_the_same_events_one_by_one_make_nothing_up():
    """No call knows those before it: what is not final is left to the end of the turn and the store."""
    told = [event for body in case_lines("T11.opencode-events.jsonl") for event in events(parse_hook("opencode", body))]
    assert [event.call_id for event in told if isinstance(event, ToolCall)] == ["call_1"]
    assert [event for event in told if isinstance(event, (Prompt, Reply, Note))] == []


@pytest.fixture
def t11(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return store_after("T11.opencode-events.jsonl", tmp_path)


def test_at_the_end_of_a_turn_the_store_tells_what_was_said(t11):
    idle = {"type": "session.idle", "properties": {"sessionID": "ses_1"}}
    told = [events(parse_hook("opencode", idle, on_its_machine=True)) for _ in range(2)]
    assert told[0] == told[1]
    reply, end = told[0]
    assert (reply.text, reply.message_id, reply.turn_id) == ("Renaming it now.", "msg_2", "msg_1")
    assert (type(end), end.turn_id) == (TurnEnd, "msg_1")


def test_the_store_and_the_log_tell_the_same_moments(t11):
    (read,) = [list(read) for source in HARNESSES["opencode"].sources for read in source.read(str(t11))][:1]
    log = transcript("opencode", CASES / "T11.opencode-events.jsonl")[1]
    assert [(e.kind, e.uid, e.turn_id, e.message_id) for e in events(read)] == [
        (e.kind, e.uid, e.turn_id, e.message_id) for e in events(log)
    ]  # fmt: skip


def test_a_users_part_with_times_is_no_answer_where_the_store_knows_its_role(t11):
    body = text_part({"start": 1, "end": 2}, sessionID="ses_1", messageID="msg_1")
    assert events(parse_hook("opencode", body, on_its_machine=True)) == []


# The store, its rows as lines, and what came before it


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = tmp_path / "opencode/opencode.db"
    path.parent.mkdir()
    shutil.copy(OPENCODE / "opencode.db", path)
    return path


def stored():
    for source in HARNESSES["opencode"].sources:
        for path in source.files():
            for read in source.read(path):
                yield read, list(read)


def test_story_of_the_store(store):
    (main, told), (child, its) = stored()
    assert [type(event) for event in events(told)] == STORY
    info = main.session
    assert (info.native_id, info.title, info.cwd) == (SESSION, "Retry budget", "/home/mika/projects/orchard-api")
    assert (info.harness_version, info.model) == ("1.18.33", "claude-opus-5")
    assert [(c.name, c.family, c.ok, c.exit_code) for c in events(told, ToolCall)] == [
        ("read", "read", True, None), ("edit", "edit", True, None), ("bash", "shell", False, 1),
        ("bash", "shell", True, 0), ("task", "agent", True, None), ("webfetch", "web", False, None),
        ("edit", "edit", True, None), ("bash", "shell", True, 0),
    ]  # fmt: skip
    assert events(told, ToolCall)[1].paths == (FILE,)
    assert "+RETRY_BUDGET_PER_MIN = 20" in events(told, ToolCall)[1].diff
    assert [type(event) for event in events(its)] == [Note, ToolCall, Reply]
    assert (child.session.native_id, child.session.agent_type) == (f"{SESSION}/{AGENT}", "explore")
    assert events(told, Reply)[0].usage == Usage(402, 141, 18211, 310)
    assert len({event.uid for event in events(told + its)}) == len(events(told + its))


def test_a_report_is_what_the_subagent_said():
    _, batches = transcript("opencode", OPENCODE / "transcript.jsonl")
    (report,) = events(batches, Subagent)
    assert (report.agent_id, report.agent_type, report.state) == (AGENT, "explore", "finished")
    assert report.text.endswith("Nothing else mentions it.")
    assert report.text == [call for call in events(batches, ToolCall) if call.name == "task"][0].output


def test_compaction_is_no_prompt_and_its_summary_no_answer():
    _, batches = transcript("opencode", OPENCODE / "transcript.jsonl")
    (compaction,) = events(batches, Compaction)
    assert (compaction.trigger, compaction.text[:14]) == ("auto", "The user asked")


def test_rows_as_lines_tell_the_same_as_the_store(store):
    _, lines = transcript("opencode", OPENCODE / "transcript.jsonl")
    told = [event for _, batches in stored() for event in events(batches)]
    assert [(e.kind, e.uid, e.occurred_at) for e in events(lines)] == [(e.kind, e.uid, e.occurred_at) for e in told]


def test_a_turns_end_brings_every_answer_of_the_turn(store):
    batches = hook("event.session.idle", on_its_machine=True)
    reply, end = events(batches)
    assert (reply.text[:6], reply.turn_id, end.turn_id) == ("Fixed:", LAST, LAST)
    assert reply.usage == Usage(620, 288, 3120, 310)
    assert batches[0].session.title == "Retry budget"


def test_a_subagents_own_hooks_find_the_session_above(store):
    given = {"tool": "grep", "sessionID": AGENT, "callID": "c", "args": {"pattern": "x"}}
    body = {"input": given, "output": {"output": "a.py:1"}, "hook": "tool.execute.after", "directory": "/elsewhere"}
    (batch,) = parse_hook("opencode", body, event="tool.execute.after", on_its_machine=True)
    assert (batch.session.native_id, batch.session.parent_native_id) == (f"{SESSION}/{AGENT}", SESSION)
    body = {"input": {"sessionID": AGENT}, "output": {"parts": [{"type": "text", "text": "look"}]}}
    task = only(parse_hook("opencode", body, event="chat.message", on_its_machine=True))
    assert (type(task), task.name) == (Note, "task")


def test_older_installations_have_a_file_for_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    storage = tmp_path / "opencode/storage"
    for line in (OPENCODE / "transcript.jsonl").read_text().splitlines():
        row = json.loads(line)
        row, table = row["row"], row["table"]
        folder = {"session": "session/p", "message": f"message/{row.get('session_id')}",
                  "part": f"part/{row.get('message_id')}"}[table]  # fmt: skip
        ids = {"id": row["id"], "sessionID": row.get("session_id"), "messageID": row.get("message_id")}
        body = {**row, "parentID": row.get("parent_id")} if table == "session" else {**row["data"], **ids}
        (storage / folder).mkdir(parents=True, exist_ok=True)
        (storage / folder / f"{row['id']}.json").write_text(json.dumps(body))
    told = {read.session.native_id: events(batches) for read, batches in stored()}
    assert {type(event) for event in told[SESSION]} == set(STORY)
    assert len(told[SESSION]) == len(STORY)
    assert sorted(event.kind for event in told[f"{SESSION}/{AGENT}"]) == ["note", "reply", "tool_call"]


def test_a_store_of_another_kind_has_no_sessions(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "opencode").mkdir()
    with sqlite3.connect(tmp_path / "opencode/opencode-next.db") as database:
        database.execute("CREATE TABLE account (id)")
    assert list(stored()) == []
    assert [type(event) for event in events(hook("event.session.idle", on_its_machine=True))] == [TurnEnd]


def test_a_broken_line_loses_only_itself():
    lines = (OPENCODE / "transcript.jsonl").read_bytes().splitlines()
    lines[2] = lines[2][:80]
    read = read_transcript("opencode", lines)
    assert len(events(read)) == len(STORY) + 3 - 1
    assert read.skipped == {"not JSON": 1}
