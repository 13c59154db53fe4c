"""A program of one's own as a captured agent: processes that use the library, and what they leave in the inbox."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import pytest

import stash_client
from sessions_app.models import Event, Session
from tests.client.laptop import eventually
from tests.client.machine import machine  # noqa: F401

_PROGRAM = """
import stash_client
with stash_client.session("My Agent", id="run-1", title="Triage", model="m-1") as s:
    s.prompt("Which are flaky?")
    s.tool("write_file", {"path": "notes.md"}, output="ok", ok=True)
    s.needs_you("Delete it?", command="rm -r build")
    s.reply("One moment.", ends_turn=False)
    s.reply("Two.", usage={"input": 7, "output": 3})
    s.tell("compaction", trigger="auto")
assert s.captures
"""


@pytest.fixture
def connected(machine):  # noqa: F811
    machine.signed_in("http://127.0.0.1:9", "stash_k")
    machine.connected()
    machine.kept_back()
    return machine


def run(machine, program: str):  # noqa: F811
    return subprocess.run(
        [sys.executable, "-W", "always::RuntimeWarning", "-c", program],
        cwd=machine.repository, env=machine.whole_environ(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def told(machine) -> list[dict]:  # noqa: F811
    return [json.loads(record.partition(b"\n\n")[2]) for record in machine.records]


def test_a_session_is_kept_whole_and_in_order_without_a_server(connected):
    done = run(connected, _PROGRAM)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    events = told(connected)
    assert [event["event"] for event in events] == [
        "session_start", "prompt", "tool_call", "attention", "reply", "reply", "turn_end", "compaction", "session_end",
    ]  # fmt: skip
    assert {(event["session"], event["title"], event["model"]) for event in events} == {("run-1", "Triage", "m-1")}
    assert [event["n"] for event in events] == sorted({event["n"] for event in events})
    assert events[3]["what"] == "permission"


@pytest.mark.parametrize(
    "raised, reason, ends", [("ValueError('secret')", "error", "error"), ("KeyboardInterrupt", "interrupted", "error")]
)
def test_an_exception_is_how_it_ended_and_goes_on(raised, reason, ends, connected):
    done = run(connected, f"import stash_client\nwith stash_client.session('a') as s:\n    raise {raised}")
    assert done.returncode != 0
    events = told(connected)
    assert [event["event"] for event in events] == ["session_start", "turn_end", "session_end"]
    assert (events[1]["reason"], events[2]["reason"]) == (reason, ends)
    assert "secret" not in json.dumps(events)


def test_what_json_cannot_hold_is_kept_as_text(connected):
    run(connected, "import stash_client, pathlib\ns = stash_client.session('a')\ns.tool('x', {'p': pathlib.Path('q')})")
    assert told(connected)[0]["input"] == {"p": "q"}


def test_where_nobody_agreed_it_warns_once_and_keeps_nothing(machine):  # noqa: F811
    machine.signed_in("http://127.0.0.1:9", "stash_k")
    done = run(machine, f"{_PROGRAM.replace('assert s.captures', 'assert not s.captures')}\nstash_client.session('b')")
    assert done.returncode == 0
    assert done.stderr.count("RuntimeWarning: stash: This folder is not connected") == 1
    assert not (machine.home / "inbox").exists()


def test_a_full_disk_warns_and_does_not_end_the_agent(connected):
    (connected.home / "inbox").write_text("in the way")
    done = run(connected, _PROGRAM.replace("assert s.captures", "print('went on')"))
    assert (done.returncode, done.stdout) == (0, "went on\n")
    assert done.stderr.count("could not be kept") == 1


def test_a_folder_that_is_gone_is_no_error(connected):
    done = run(connected, "import os, stash_client\nos.mkdir('x'); os.chdir('x'); os.rmdir('../x')\n"
                          "stash_client.session('a').prompt('hi')")  # fmt: skip
    assert (done.returncode, told(connected)) == (0, [])


def test_names_that_there_are_not():
    with pytest.raises(AttributeError, match="sesion"):
        stash_client.sesion  # noqa: B018
    assert {"Stash", "session", "Refused", "Unreachable", "NoAccount"} <= set(stash_client._LATER)


@pytest.mark.django_db(transaction=True)
def test_from_a_program_to_the_server_and_on_in_another(machine, live_server, dana, shop):  # noqa: F811
    machine.signed_in(live_server.url, dana.secret)
    machine.connected()
    assert run(machine, _PROGRAM).stderr == ""
    eventually(lambda: Event.objects.filter(kind="session_end").exists())
    session = Session.objects.get()
    assert (session.harness, session.title, session.tokens_in, session.status) == ("my-agent", "Triage", 7, "ended")
    assert list(Event.objects.get(kind="tool_call").body["paths"]) == ["notes.md"]
    assert list(Event.objects.order_by("occurred_at", "n").values_list("kind", flat=True)) == [
        "session_start", "prompt", "tool_call", "attention", "reply", "reply", "turn_end", "compaction", "session_end",
    ]  # fmt: skip

    run(machine, "import stash_client\ns = stash_client.session('my-agent', id='run-1')\ns.prompt('and now?')\ns.end()")
    eventually(lambda: Event.objects.filter(text="and now?").exists())
    assert Session.objects.count() == 1


def test_in_this_process_a_session_outside_of_consent_tells_the_caller(tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_HOME", str(tmp_path))
    monkeypatch.delenv("STASH_URL", raising=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stash_client.session("my-agent", cwd=str(tmp_path)).prompt("hi")
    assert [str(warning.message).partition(":")[0] for warning in caught] == ["stash"]
    assert caught[0].filename == __file__
