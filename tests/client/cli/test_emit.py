"""``stash emit`` and ``stash note``: into the inbox, and from there to the server."""

from __future__ import annotations

import json

import pytest

from sessions_app.models import Event, Session
from tests.client.laptop import eventually

GOOD = {"session": "run-17", "event": "prompt", "text": "Which tests are flaky?"}


def lines(*events) -> str:
    return "".join((event if isinstance(event, str) else json.dumps(event)) + "\n" for event in events)


@pytest.fixture
def offline(machine):
    machine.signed_in("http://127.0.0.1:9", "stash_k")
    machine.connected()
    machine.kept_back()
    return machine


def test_lines_become_records_whether_or_not_a_server_answers(offline):
    done = offline.run("emit", "--harness", "My_Agent", stdin=lines(GOOD, "", {**GOOD, "event": "tool", "name": "sh"}))
    assert (done.code, done.out, done.err) == (0, "2 kept\n", "")
    heads = [record.partition(b"\n\n") for record in offline.records]
    assert all(head.startswith(b"harness=my-agent\n") for head, _, _ in heads)
    assert [json.loads(body)["event"] for _, _, body in heads] == ["prompt", "tool_call"]


@pytest.mark.parametrize(
    "line, says",
    [
        ("{broken", "not JSON"),
        ("[]", "not a JSON object"),
        ('"x"', "not a JSON object"),
        ({"event": "prompt", "text": "x"}, 'no "session"'),
        ({**GOOD, "event": "shout"}, '"event" is "shout"; known are activity,'),
        ({**GOOD, "event": None}, '"event" is '),
        ({**GOOD, "text": ""}, 'a prompt needs "text"'),
        ({**GOOD, "text": ["x"]}, 'a prompt needs "text"'),
        ({"session": "s", "event": "tool_call"}, 'a tool_call needs "name"'),
        ({**GOOD, "at": "yesterday"}, '"at" is not a time'),
        ({**GOOD, "harness": 3}, 'no "harness"'),
    ],
)
def test_a_line_that_is_wrong_is_named_and_holds_up_nothing(line, says, offline):
    done = offline.run("emit", "--harness", "my-agent", stdin=lines(GOOD, line, GOOD))
    assert (done.code, done.out) == (1, "2 kept, 1 rejected\n")
    assert done.err.startswith(f"line 2: {says}")
    assert len(offline.records) == 2
    told = offline.run("emit", "--harness", "my-agent", "--json", stdin=lines(line)).json
    assert (told["accepted"], told["rejected"], told["problems"][0]["line"]) == (0, 1, 1)


def test_an_agent_that_is_not_named_is_a_problem_of_each_line(offline):
    assert offline.run("emit", stdin=lines(GOOD, {**GOOD, "harness": "my-agent"})).code == 1
    assert len(offline.records) == 1


def test_nothing_is_kept_where_nobody_agreed(machine):
    assert machine.run("emit", "--harness", "x", stdin=lines(GOOD)).code == 3
    machine.signed_in("http://127.0.0.1:9", "stash_k")
    done = machine.run("emit", "--harness", "x", stdin=lines(GOOD))
    assert (done.code, machine.records) == (3, [])
    assert "not connected" in done.err
    assert not (machine.home / "inbox").exists()


def test_a_note_needs_a_session_that_runs_here(offline):
    assert offline.run("note", "the clock, not the network").code == 4
    offline.ran_here(native_id="s-7", harness="codex")
    told = offline.run("note", "the", "clock", "--json").json
    assert (told["harness"], told["native_id"]) == ("codex", "s-7")
    assert offline.run("note", "-", stdin="from a pipe\n").code == 0
    assert offline.run("note", " ").code == 2
    texts = [json.loads(record.partition(b"\n\n")[2])["text"] for record in offline.records]
    assert texts == ["the clock", "from a pipe"]


@pytest.mark.django_db(transaction=True)
def test_from_a_line_to_the_server_without_its_secrets(signed_in, dana):
    signed_in.connected()
    events = [
        {**GOOD, "title": "Nightly triage", "model": "m-1"},
        {"session": "run-17", "event": "tool_call", "name": "shell", "input": {"command": "pytest -q"},
         "output": "ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE", "exit_code": 1},
        {"session": "run-17", "event": "reply", "text": "Two.", "usage": {"input": 7, "output": 3}},
        {"session": "run-17", "event": "turn_end"},
    ]  # fmt: skip
    assert signed_in.run("emit", "--harness", "my-agent", stdin=lines(*events)).code == 0
    eventually(lambda: Event.objects.count() == 4)
    session = Session.objects.get()
    assert (session.harness, session.native_id, session.title) == ("my-agent", "run-17", "Nightly triage")
    assert (session.tokens_in, session.status, session.project.slug) == (7, "idle", "shop")
    call = Event.objects.get(kind="tool_call")
    assert (call.family, call.ok, call.exit_code) == ("shell", False, 1)
    assert "FAKE" not in call.output
    assert list(Event.objects.order_by("seq").values_list("kind", flat=True)) == [
        "prompt", "tool_call", "reply", "turn_end",
    ]  # fmt: skip
