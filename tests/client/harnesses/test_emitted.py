"""The neutral form: strict for who writes it, tolerant when it is read."""

from __future__ import annotations

import json

import pytest

from stash_client.events import (
    KINDS,
    Compaction,
    Note,
    Prompt,
    Reply,
    Subagent,
    ToolCall,
    Usage,
)
from stash_client.harnesses import parse_hook
from stash_client.harnesses.emitted import kind_of, problem_of

AT = "2026-11-30T14:02:00+00:00"


def read(**fields):
    payload = {"stash": 1, "session": "run-1", "event": "prompt", **fields}
    (batch,) = parse_hook("my-agent", json.dumps(payload).encode(), occurred_at=AT, n=5)
    return batch.session, batch.events[0]


def test_a_session_and_an_event():
    info, event = read(text="hi", title="T", model="m", branch="main", cwd="/w", version="2", colour="red")
    assert (info.harness, info.native_id, info.title, info.model) == ("my-agent", "run-1", "T", "m")
    assert (info.branch, info.cwd, info.harness_version) == ("main", "/w", "2")
    assert event == Prompt(text="hi", occurred_at=AT, n=5, extra={"colour": "red"})


def test_time_and_order_may_be_told():
    _, event = read(text="x", at="2026-11-30T15:00:00Z", n=77)
    assert (event.occurred_at, event.n) == ("2026-11-30T15:00:00Z", 77)
    for wrong in ({"at": "now", "n": -1}, {"at": 5, "n": "7"}, {"at": None, "n": True}, {"n": 2**70}):
        _, event = read(text="x", **wrong)
        assert (event.occurred_at, event.n) == (AT, 5)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_can_be_told_by_name(kind):
    _, event = read(event=kind, text="x", name="n")
    assert type(event) is KINDS[kind]


def test_what_a_caller_need_not_say_of_a_tool():
    _, call = read(event="tool", name="bash", input={"command": "x"}, exit_code=2, output={"a": 1})
    assert call == ToolCall(name="bash", family="shell", input={"command": "x"}, exit_code=2, ok=False,
                            output='{"a": 1}', occurred_at=AT, n=5)  # fmt: skip
    _, call = read(event="tool_call", name="read_file", input={"path": "a.py"}, ok=True, family="nonsense")
    assert (call.family, call.paths, call.ok) == ("read", ("a.py",), True)
    _, call = read(event="tool_call", name="mine", family="web", paths=["a", 3], ok="yes", duration_ms="12")
    assert (call.family, call.paths, call.ok) == ("web", ("a",), None)


def test_types_that_are_wrong_do_no_harm():
    _, event = read(event="reply", text={"a": 1}, usage={"input": "7", "output": -3, "x": 1})
    assert isinstance(event, Reply)
    assert (event.text, event.usage) == ('{"a": 1}', None)
    _, event = read(event="reply", text="x", usage={"input": 7, "output": -3})
    assert event.usage == Usage(input=7)
    _, event = read(event="compaction", tokens_before="many", trigger=None)
    assert event == Compaction(occurred_at=AT, n=5)
    for payload in ({"session": None}, {"session": ["x"]}, {"event": 3}, {"event": None}, {"text": None}):
        read(**payload)


def test_a_kind_there_is_not_is_a_note():
    _, event = read(event="shout", text="x")
    assert isinstance(event, Note)
    assert (event.name, event.text) == ("shout", "text: x")


def test_a_subagent_has_a_session_of_its_own():
    info, event = read(event="reply", text="done", agent="a-1", agent_type="reviewer")
    assert (info.native_id, info.parent_native_id, info.agent_type) == ("run-1/a-1", "run-1", "reviewer")
    _, event = read(event="subagent", agent_id="a-1", state="finished", text="done")
    assert event == Subagent(agent_id="a-1", state="finished", text="done", occurred_at=AT, n=5)


def test_an_agents_own_payload_is_not_taken_for_ours():
    for mark in (True, "1", 2, None):
        payload = {"stash": mark, "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}
        if mark is True:
            payload.pop("hook_event_name")
        (batch,) = parse_hook("claude-code", payload, event="UserPromptSubmit", occurred_at=AT)
        assert batch.session.native_id == "s"


@pytest.mark.parametrize("name, kind", [("tool", "tool_call"), ("Turn-End", "turn_end"), ("user", "prompt"), ("x", ""),
                                        (None, ""), (3, "")])  # fmt: skip
def test_kinds_have_other_names(name, kind):
    assert kind_of(name) == kind


def test_a_good_line_has_no_problem():
    assert problem_of({"session": 17, "event": "turn-end"}) == ""
    assert problem_of({"session": "s", "event": "note", "text": "x", "at": "2026-11-30T14:02:00.5+01:00"}) == ""
