"""What a person is told about what waits."""

from __future__ import annotations

import json

import pytest

from stash_client import sender
from stash_client.cli import main
from tests.client.conftest import sign_out
from tests.client.records import put
from tests.client.stash_like import problem


def told(capsys, *words: str) -> dict:
    assert main(["spool", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def shown(capsys, *words: str) -> str:
    assert main(["spool", *words]) == 0
    return capsys.readouterr().out


def test_nothing_waits(work, capsys):
    assert shown(capsys) == "Nothing waits: all that was captured here is with its server.\n"


def test_records_that_no_sender_has_read(work, capsys):
    put(work, prompt="one")
    assert "1 record of hooks not read yet" in shown(capsys)
    assert told(capsys)["records"] == 1


def test_what_waits_for_a_server_that_is_away(work, far_stash, capsys):
    far_stash.mode = 503
    put(work, prompt="one")
    put(work, prompt="two")
    put(work, prompt="other", session="s-2")
    sender.drain()
    said = shown(capsys)
    assert "waiting  3 events" in said
    assert "the server answered 503" in said
    [server] = told(capsys)["servers"]
    assert [(one["native_id"], one["events"], one["place"]) for one in server["sessions"]] == [
        ("s-1", 2, str(work)),
        ("s-2", 1, str(work)),
    ]
    assert server["waiting"]["bytes"] > 300


def test_what_is_parked_refused_or_paused_says_why(work, far_stash, capsys):
    answers = {"parked": "project_not_connected", "wrong": "invalid_event"}
    far_stash.reject = lambda event: problem(answers[event["text"]], 409) if event["text"] in answers else None
    for text in ("parked", "wrong", "good"):
        put(work, prompt=text)
    sender.drain()
    said = shown(capsys)
    assert "parked   1 event" in said
    assert "refused  1 event: invalid_event" in said
    sign_out()
    put(work, prompt="more")
    sender.drain()
    assert "paused   this machine is not signed in there" in shown(capsys)


def test_show_prints_what_would_be_sent_and_nothing_secret(work, far_stash, capsys):
    far_stash.mode = 503
    put(work, prompt="use ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE")
    put(work, prompt="second")
    sender.drain()
    said = shown(capsys, "show", "1")
    assert "use [redacted:" in said
    assert "second" not in said
    assert [frame["event"]["text"] for frame in told(capsys, "show")][1] == "second"


def test_retry_tries_what_was_refused_and_parked(work, far_stash, capsys):
    far_stash.reject = lambda event: problem(
        "invalid_event" if event["text"] == "wrong" else "project_not_connected", 409
    )
    put(work, prompt="wrong")
    put(work, prompt="parked")
    sender.drain()
    assert far_stash.stored == []
    far_stash.reject = lambda event: None
    assert shown(capsys, "retry") == "Nothing waits any more.\n"
    assert sorted(far_stash.texts) == ["parked", "wrong"]
    assert "Nothing waits:" in shown(capsys)


@pytest.mark.parametrize("mode, code", [("up", 0), (503, 5)])
def test_flush_says_whether_all_is_there(work, far_stash, capsys, mode, code):
    far_stash.mode = mode
    put(work, prompt="one")
    assert main(["flush", "--seconds", "0.3"]) == code
    assert ("still here" in capsys.readouterr().err) is bool(code)


def test_an_outbox_that_was_full_says_so(work, far_stash, capsys, monkeypatch):
    monkeypatch.setenv("STASH_OUTBOX_MIB", "0.1")
    far_stash.mode = 503
    for number in range(30):
        done = {"tool_name": "Bash", "tool_input": {"command": f"{number}"}, "tool_response": {"stdout": "x y " * 2000}}
        put(work, "PostToolUse", **done)
        sender.drain()
    put(work, prompt="still here")
    sender.drain()
    found = told(capsys)
    assert found["dropped"]["outputs"] > 5
    assert found["size"] <= found["most_bytes"] == 104857
    assert "Left out since ever for want of room:" in shown(capsys)
    far_stash.mode = "up"
    sender.flush(20)
    assert "still here" in far_stash.texts
    notes = [event["text"] for event in far_stash.stored if event.get("name") == "spool_full"]
    assert notes
    assert all(note.startswith("Left out because too much was waiting") for note in notes)
    calls = [event for event in far_stash.stored if event["kind"] == "tool_call"]
    assert [event["input"]["command"] for event in calls] == [f"{n}" for n in range(30)]


def test_spool_and_flush_as_processes_of_their_own(machine):
    assert "Nothing waits" in machine.run("spool").out
    assert machine.run("spool", "--json").json["records"] == 0
    assert machine.run("flush").code == 0
