"""Keeping a session to oneself and removing what was captured, before and after it was sent."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from sessions_app.models import Event, Session
from stash_client import inbox
from tests.client.laptop import Laptop

pytestmark = pytest.mark.django_db(transaction=True)
AWAY = {"label": "lab", "url": "http://127.0.0.1:9"}


@pytest.fixture
def connected(at_work, shop) -> Laptop:
    at_work.connected({"server": "lab"})
    return at_work


def tell(laptop: Laptop, *events: dict, session: str = "run-1") -> None:
    """As an agent's hooks do; nobody is woken."""
    for event in events:
        told = {"stash": 1, "n": time.time_ns(), "session": session, "cwd": str(laptop.repository), **event}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STASH_HOME", str(laptop.home))
            inbox.put({"harness": "my-agent", "cwd": str(laptop.repository)}, json.dumps(told).encode())


def turn(text: str, minutes_ago: float = 0) -> list[dict]:
    at = datetime.now(UTC) - timedelta(minutes=minutes_ago, seconds=2)
    return [
        {"event": "prompt", "text": text, "at": at.isoformat()},
        {"event": "reply", "text": f"done: {text}", "at": (at + timedelta(seconds=1)).isoformat()},
    ]


def away(laptop: Laptop) -> None:
    """Its server cannot be reached."""
    stored = json.loads((laptop.home / "accounts.json").read_text())["accounts"][0]
    laptop.signed_in({**stored, **AWAY})


def back(laptop: Laptop, url: str) -> None:
    stored = json.loads((laptop.home / "accounts.json").read_text())["accounts"][0]
    laptop.signed_in({**stored, "url": url})
    laptop.run("send")


def texts() -> list[str]:
    return list(Event.objects.order_by("occurred_at", "n").values_list("text", flat=True))


def test_private_and_share_change_a_session_that_was_sent(connected, dana):
    tell(connected, *turn("one"))
    connected.run("send")
    assert Session.objects.get().visibility == "project"
    assert connected.json("private")["server"] == "told"
    assert Session.objects.get().visibility == "private"
    tell(connected, *turn("two"))
    connected.run("send")
    assert Session.objects.get().visibility == "private"
    assert connected.run("share")[0] == 1
    assert connected.json("share", "--yes")["visibility"] == "project"
    tell(connected, *turn("three"))
    connected.run("send")
    assert (Session.objects.get().visibility, len(texts())) == ("project", 6)


def test_private_before_anything_was_sent_holds_from_the_first_event_on(connected, live_server):
    away(connected)
    tell(connected, *turn("one"))
    connected.run("send")
    assert connected.json("private")["server"] == "not reached"
    back(connected, live_server.url)
    assert [s.visibility for s in Session.objects.all()] == ["private"]
    assert texts() == ["one", "done: one"]


def test_share_where_new_sessions_are_private_lasts(connected):
    connected.connected({"server": "lab", "visibility": "private"})
    tell(connected, *turn("one"))
    connected.run("send")
    assert Session.objects.get().visibility == "private"
    connected.json("share", "--yes")
    tell(connected, *turn("two"))
    connected.run("send")
    assert Session.objects.get().visibility == "project"


def test_a_session_is_named_by_either_of_its_ids(connected):
    tell(connected, *turn("one"), session="first-run")
    tell(connected, *turn("two"), session="second-run")
    connected.run("send")
    first = Session.objects.get(native_id="first-run")
    connected.json("private", "--session", "first-run")
    assert set(Session.objects.filter(visibility="private")) == {first}
    assert connected.json("share", "--yes", "--session", str(first.pk))["native_id"] == "first-run"
    assert not Session.objects.filter(visibility="private").exists()
    assert connected.run("private", "--session", "00000000-0000-7000-8000-000000000000")[0] == 4


def test_nothing_ran_here_yet(connected):
    for command in ("private", "share --yes", "forget last --yes", "private --session nothing"):
        code, _, err = connected.run(*command.split())
        assert (code, "o session" in err) == (4, True)


def test_forget_before_sending_removes_it_here(connected, live_server):
    away(connected)
    tell(connected, *turn("keep", 5), *turn("remove"))
    code, out, err = connected.run("forget", "last", "--yes")
    assert (code, "2 waiting events removed" in out, "could not be asked" in err) == (5, True, True)
    assert not any(b"remove" in path.read_bytes() for path in connected.home.rglob("*") if path.is_file())
    back(connected, live_server.url)
    assert texts() == ["keep", "done: keep"]


def test_forget_after_sending_removes_it_there(connected):
    tell(connected, *turn("keep", 5), *turn("remove"))
    connected.run("send")
    assert len(texts()) == 4
    assert connected.json("forget", "last", "--yes")["server"] == 2
    assert texts() == ["keep", "done: keep"]


def test_forget_a_time(connected):
    tell(connected, *turn("old", 90), *turn("older than ten", 11), *turn("new", 9), *turn("newest"))
    connected.run("send")
    connected.json("forget", "10m", "--yes")
    assert texts() == ["old", "done: old", "older than ten", "done: older than ten"]


def test_forget_the_whole_session_and_nothing_of_another(connected):
    tell(connected, *turn("another"), session="another")
    tell(connected, *turn("one"))
    connected.run("send")
    tell(connected, *turn("two"))
    said = connected.json("forget", "session", "--yes", "--session", "run-1")
    assert (said["here"], said["server"]) == (2, 2)
    connected.run("send")
    assert texts() == ["another", "done: another"]
    assert [s.native_id for s in Session.objects.all()] == ["another"]


def test_forget_asks_before(connected):
    tell(connected, *turn("one"))
    connected.run("send")
    assert connected.run("forget", "session")[0] == 1
    screen = connected.terminal("forget", "session")
    screen.expect("for good?")
    screen.type("n")
    assert screen.end() == 1
    assert len(texts()) == 2


@pytest.mark.parametrize("what", ["yesterday", "", "0m"])
def test_forget_does_not_guess(connected, what):
    tell(connected, *turn("one"))
    assert connected.run("forget", what, "--yes")[0] == 2
