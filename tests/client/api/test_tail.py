"""Events as they come: from a real server, and over lines that break."""

from __future__ import annotations

import json
import struct

import pytest

from stash_client.api.client import Stash
from stash_client.api.errors import Refused
from tests.client.api.scripted import said, scripted
from tests.client.api.test_websocket import accepting, frame
from tests.servers import running

ID = "01a22e2b-78b6-764b-964d-27531adad561"
_PEOPLE = """
import django; django.setup()
from accounts.models import Team
from tests.conftest import connect, make_person, make_project
team = Team.objects.create(slug="harbour", name="Harbour")
dana = make_person(team, "dana")
make_project(team, "shop")
connect(dana, None)
print(dana.secret)
"""


def message(seq: int) -> bytes:
    event = {"seq": seq, "number": seq, "kind": "prompt", "uid": str(seq), "text": f"text {seq}"}
    return frame(1, json.dumps({"seq": seq, "event": event}).encode())


def test_a_line_that_breaks_is_made_again_where_it_broke(monkeypatch):
    monkeypatch.setattr("stash_client.api.tail._FIRST_BREAK", 0.01)
    streams = [accepting(message(1), message(2)), accepting(), accepting(b"\x81"), accepting(message(3))]

    def say(connection, request: bytes):
        if b"/ws/" not in request:
            return connection.sendall(said(json.dumps({"id": ID, "last_seq": 0}).encode()))
        return streams.pop(0)(connection, request)

    with scripted(say) as server:
        coming = Stash(server.url, "stash_k").tail(ID, after=0)
        assert [next(coming).text for _ in range(3)] == ["text 1", "text 2", "text 3"]
        asked = [r.split(b" ")[1].decode() for r in server.asked if b"/ws/" in r]
    assert [address.rpartition("after=")[2] for address in asked] == ["0", "2", "2", "2"]


@pytest.mark.parametrize("code, status", [(4404, 404), (4410, 404), (4401, 401)])
def test_a_session_that_is_not_there_for_us_any_more_ends_it(code, status):
    with scripted(accepting(message(1), frame(8, struct.pack("!H", code)))) as server:
        coming = Stash(server.url, "stash_k").tail(ID, after=0)
        assert next(coming).seq == 1
        with pytest.raises(Refused) as refusal:
            next(coming)
    assert refusal.value.status == status


@pytest.mark.one_engine
def test_a_real_server_streams_what_comes_and_says_what_is_not_there(tmp_path):
    with running(tmp_path) as server:
        secret = server.python("-c", _PEOPLE).split()[-1]
        stash = Stash(server.url, secret)
        session = {"harness": "codex", "native_id": "s-1", "project": {"identities": ["git.example.test/acme/shop"]}}

        def post(uid: str) -> str:
            event = {"uid": uid, "n": 1, "kind": "prompt", "occurred_at": "2026-11-30T14:02:00Z", "text": uid}
            return stash.call("POST", "events", {"session": session, "events": [event]})["session"]

        whole = post("first")
        coming = stash.tail(whole, after=0)
        assert next(coming).text == "first"
        post("second")
        assert next(coming).text == "second"
        coming.close()
        with pytest.raises(Refused):
            next(stash.tail("01a22e2b-78b6-764b-964d-275300000000", after=0))
