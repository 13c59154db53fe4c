"""The typed client against the real API."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

import stash_client
from sessions_app.models import Session
from stash_client import accounts, events
from stash_client.api.client import Stash
from stash_client.api.errors import Ambiguous, NoAccount, Refused, Unreachable
from tests.client.sessions import capture, tell

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stash(live_server, dana, shop) -> Stash:
    with Stash(live_server.url, dana.secret) as client:
        yield client


def test_who_the_key_acts_as(stash):
    me = stash.me()
    assert (me.username, me.team, me.role) == ("dana", "harbour", "member")
    assert "read" in me.scopes


def test_sessions_come_page_after_page_and_filtered(stash, dana, monkeypatch):
    monkeypatch.setattr("stash_client.api.client._PAGE", 2)
    ids = [capture(dana, f"s-{i}", harness="codex" if i % 2 else "claude-code") for i in range(5)]

    assert [s.id for s in stash.sessions()] == ids[::-1]
    assert [s.id for s in stash.sessions(limit=3)] == ids[:1:-1]
    assert {s.harness for s in stash.sessions(harness="codex")} == {"codex"}
    assert [s.id for s in stash.sessions(by="me", project="shop", status="idle", limit=1)] == [ids[-1]]
    assert list(stash.sessions(by="ravi")) == []
    assert list(stash.sessions(since=(datetime.now(UTC) + timedelta(hours=1)).isoformat())) == []


def test_a_session_has_its_fields_and_a_newer_server_may_tell_more(stash, dana):
    session = stash.session(capture(dana, "s-1"))
    assert (session.title, session.project, session.person.username) == ("fix the totals", "shop", "dana")
    assert (session.prompts, session.tool_calls, session.state) == (1, 1, "idle")
    assert session.raw["id"] == session.id
    assert stash_client.api.models.Session.from_wire({"id": "x", "news": 1, "tokens": None}).tokens.input == 0


def test_ids_may_be_given_short(stash, dana):
    one, two = capture(dana, "s-1"), capture(dana, "s-2")
    for given in (one, one.upper(), one.replace("-", ""), one[-8:], one.replace("-", "")[-10:]):
        assert stash.full_id(given) == one
    with pytest.raises(Ambiguous) as raised:
        stash.full_id(one[:4])
    assert raised.value.candidates == sorted([one, two])
    for unknown in ("ffffffff", "x", "", "../me", f"{one[:-1]}g"):
        with pytest.raises(Refused) as refusal:
            stash.session(unknown)
        assert refusal.value.status == 404


def test_events_are_read_on_from_a_seq_and_have_their_kinds(stash, dana, monkeypatch):
    monkeypatch.setattr("stash_client.api.client._EVENTS", 2)
    session = capture(dana, "s-1")
    seen = list(stash.events(session))
    assert [e.kind for e in seen] == ["prompt", "tool_call", "reply", "turn_end"]
    assert [e.seq for e in stash.events(session, after=seen[1].seq)] == [e.seq for e in seen[2:]]
    assert [e.kind for e in stash.events(session, kinds=["prompt", "reply"])] == ["prompt", "reply"]
    call = seen[1].typed()
    assert isinstance(call, events.ToolCall)
    assert (call.input, call.ok, seen[1].ok, seen[1].number) == ({"command": "pytest"}, False, False, 2)
    reply = seen[2].typed()
    assert reply.usage == events.Usage(input=10, output=2)


def test_transcript_and_export(stash, dana):
    session = capture(dana, "s-1")
    assert "fix the totals" in stash.transcript(session)
    lines = b"".join(stash.export(session)).splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["prompt", "tool_call", "reply", "turn_end"]


def test_changing_and_removing(stash, dana):
    session = capture(dana, "s-1")
    assert stash.rename(session, "Totals").title == "Totals"
    assert stash.set_visibility(session, "private").visibility == "private"
    assert stash.forget(session) == 4
    other = capture(dana, "s-2")
    stash.delete(other)
    assert not Session.objects.filter(pk=other).exists()
    with pytest.raises(Refused):
        stash.session(other)


def test_what_is_not_mine_to_see_is_not_there(live_server, dana, olga, shop):
    session = capture(dana, "s-1")
    with Stash(live_server.url, olga.secret) as stash:
        assert list(stash.sessions()) == []
        for ask in (stash.session, stash.transcript, stash.delete):
            with pytest.raises(Refused) as refusal:
                ask(session)
            assert (refusal.value.status, refusal.value.is_ours) == (404, True)


def test_connecting_a_project(stash):
    told = stash.connect(["git.example.test/acme/fares"], visibility="project", name="fares")
    assert (told["project"]["slug"], told["visibility"]) == ("fares", "project")
    assert {project["slug"] for project in stash.projects()} >= {"shop", "fares"}


def test_a_key_that_is_none(live_server):
    with Stash(live_server.url, "stash_wrong") as stash, pytest.raises(Refused) as refusal:
        stash.me()
    assert refusal.value.status == 401


def test_the_account_of_this_machine_is_the_usual(live_server, dana, shop, tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_HOME", str(tmp_path))
    with pytest.raises(NoAccount):
        Stash()
    account = accounts.Account("lab", live_server.url, dana.secret, "m1", "laptop", "dana", "harbour")
    accounts.save(accounts.Accounts((account,)))
    assert Stash().me().username == "dana"
    assert Stash(server="lab").me().username == "dana"
    with pytest.raises(NoAccount):
        Stash(server="other")


def test_a_server_that_is_away_is_unreachable():
    with pytest.raises(Unreachable):
        Stash("http://127.0.0.1:9", "k", seconds=1).me()


def test_tail_asks_again_where_there_is_no_websocket(stash, dana, monkeypatch):
    """The test server speaks none: what this says holds behind a proxy that lets none through."""
    monkeypatch.setattr("stash_client.api.tail._ASK_SOON", 0.05)
    session = capture(dana, "s-1")
    coming = stash.tail(session, after=3)
    assert next(coming).kind == "turn_end"
    tell(dana, "s-1", [{"uid": "later", "n": 9, "kind": "prompt", "text": "go on"}])
    assert next(coming).text == "go on"
