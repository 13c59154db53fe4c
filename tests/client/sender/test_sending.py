"""What waits reaches its server once and in order, is parked, or is set aside; whatever the server does."""

from __future__ import annotations

import json
import socket
import threading
import time
from datetime import UTC

import pytest

from stash_client import accounts, api, client_config, consent, home, inbox, recent, sender
from stash_client.outbox import Outbox
from stash_client.sender import forgetting, state
from stash_client.sender.courier import Came, Courier
from tests.client.conftest import connect, sign_in, sign_out
from tests.client.records import put
from tests.client.sender.bulk import fill
from tests.client.stash_like import problem, stash_like


def waiting() -> list[str]:
    boxes = Outbox().boxes.values()
    return [entry.frame.event.get("text", "") for box in boxes for entry in box.queue.entries()]


def parked() -> list[str]:
    boxes = Outbox().boxes.values()
    return [entry.frame.event.get("text", "") for box in boxes for entry in box.parked.entries()]


def refused() -> list[tuple[str, str]]:
    boxes = Outbox().boxes.values()
    return [(frame.event.get("text", ""), said.get("code", "")) for box in boxes for _, frame, said in box.refused]


def server_state():
    return state.read(Outbox().box("lab").folder)


def test_it_arrives_and_nothing_is_left(work, far_stash):
    put(work, prompt="one")
    assert sender.drain() == 1
    assert far_stash.texts == ["one"]
    assert far_stash.keys == ["Bearer stash_key"]
    assert sender.left().nothing
    assert not list((home.folder() / "outbox").rglob("*.frames"))


def test_in_one_request_for_each_session_and_in_order(work, far_stash):
    for number in range(9):
        put(work, prompt=f"{number}", session=f"s-{number % 3}")
    sender.drain()
    assert [len(body["events"]) for body in far_stash.bodies] == [3, 3, 3]
    assert far_stash.texts == ["0", "3", "6", "1", "4", "7", "2", "5", "8"]


def test_what_a_session_is_and_where_to_see_it_is_known_afterwards(work, far_stash):
    put(work, prompt="one")
    sender.drain()
    last = recent.latest(str(work))
    assert (last.native_id, last.session, last.url) == ("s-1", "id-of-s-1", f"{far_stash.url}/s/s-1")
    assert (last.server, last.last_at) == ("lab", far_stash.stored[0]["occurred_at"])


def test_not_more_than_500_events_go_together(work, far_stash):
    fill([("lab", str(work), "s-1", f"{n}") for n in range(1201)])
    assert sender.drain() == 1201
    assert max(len(body["events"]) for body in far_stash.bodies) == 500
    assert far_stash.texts == [f"{n}" for n in range(1201)]


def test_not_more_than_some_megabytes_go_together(work, far_stash):
    fill([("lab", str(work), "s-1", f"{n} " + "x y " * 60_000) for n in range(40)])
    sender.drain()
    sizes = [len(json.dumps(body)) for body in far_stash.bodies]
    assert len(far_stash.stored) == 40
    assert max(sizes) < 4.5 * 1024 * 1024


@pytest.mark.parametrize("mode", ["garbage", 500, 502, 503, 429, 404, 302])
def test_while_the_server_is_not_itself_everything_waits(work, far_stash, mode):
    far_stash.mode = mode
    for number in range(3):
        put(work, prompt=f"{number}")
    for _ in range(4):
        sender.drain()
    assert (waiting(), far_stash.stored) == (["0", "1", "2"], [])
    assert not list(inbox.records())
    assert server_state().error
    far_stash.mode = "up"
    sender.drain()
    assert (far_stash.texts, waiting(), server_state().error) == (["0", "1", "2"], [], "")


def test_a_server_that_is_away_costs_nothing(work, far_stash):
    nobody = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    nobody.close()
    sign_in(address)
    for number in range(3):
        put(work, prompt=f"{number}")
        sender.drain()
    assert waiting() == ["0", "1", "2"]
    sign_in(far_stash.url)
    sender.drain()
    assert far_stash.texts == ["0", "1", "2"]


def test_a_lost_answer_doubles_nothing(work, far_stash):
    far_stash.mode = "cut"
    put(work, prompt="one")
    sender.drain()
    assert (far_stash.texts, waiting()) == (["one"], ["one"])
    far_stash.mode = "up"
    sender.drain()
    assert (far_stash.texts, waiting(), far_stash.duplicates) == (["one"], [], 1)


def test_the_address_and_key_of_now_are_used_not_those_of_then(work, far_stash):
    put(work, prompt="one")
    sign_in("http://127.0.0.1:9", key="stash_old_key")
    sender.drain()
    queued = b"".join(path.read_bytes() for path in (home.folder() / "outbox").rglob("*") if path.is_file())
    assert b"one" in queued
    assert b"stash_old_key" not in queued
    assert b"127.0.0.1" not in queued.replace(b'"error"', b"")
    sign_in(far_stash.url, key="stash_new_key")
    sender.drain()
    assert (far_stash.texts, far_stash.keys) == (["one"], ["Bearer stash_new_key"])


def test_a_key_that_is_not_taken_pauses_its_server_and_says_so(work, far_stash):
    far_stash.mode = 401
    put(work, prompt="one")
    box = Outbox().box("lab")
    sender.drain()
    assert (server_state().paused, waiting()) == ("not_allowed", ["one"])
    calls = len(far_stash.bodies)
    assert Courier(box).deliver() is Came.PAUSED
    assert len(far_stash.bodies) == calls
    far_stash.mode = "up"
    sign_in(far_stash.url, key="stash_new_key")
    assert Courier(Outbox().box("lab")).deliver() is Came.THROUGH
    assert (far_stash.texts, server_state().paused) == (["one"], "")


def test_a_401_of_somebody_on_the_way_pauses_nothing(work, far_stash):
    far_stash.refuse = lambda body: (401, {"detail": "Log in to this hotel"})
    put(work, prompt="one")
    sender.drain()
    assert (server_state().paused, waiting()) == ("", ["one"])


def test_signed_out_it_waits_for_the_next_sign_in(work, far_stash):
    sign_out()
    put(work, prompt="one")
    sender.drain()
    assert (server_state().paused, waiting()) == ("signed_out", ["one"])
    sign_in(far_stash.url)
    sender.drain()
    assert far_stash.texts == ["one"]


def test_retry_after_is_kept_in_mind(work, far_stash):
    far_stash.mode, far_stash.retry_after = 429, "120"
    put(work, prompt="one")
    sender.drain()
    assert 60 < server_state().not_before - time.time() <= 120


def test_a_body_too_large_is_sent_in_parts(work, far_stash):
    far_stash.refuse = lambda body: (413, {"detail": "of a proxy"}) if len(body["events"]) > 3 else None
    fill([("lab", str(work), "s-1", f"{n}") for n in range(20)])
    sender.drain()
    assert far_stash.texts == [f"{n}" for n in range(20)]


def test_one_event_too_large_for_every_way_holds_up_nothing(work, far_stash):
    big = "big" * 1000
    far_stash.refuse = lambda body: (413, {}) if big in json.dumps(body) else None
    fill([("lab", str(work), "s-1", text) for text in ("one", big, "two")])
    sender.drain()
    assert (far_stash.texts, waiting()) == (["one", "two"], [])
    assert [text for text, _ in refused()] == [big]


@pytest.mark.parametrize("status", [400, 409, 413, 415, 422])
def test_a_body_refused_for_good_costs_only_what_is_wrong_in_it(work, far_stash, status):
    wrong = problem("bad_json", status)
    far_stash.refuse = lambda body: (status, wrong) if "poison" in json.dumps(body) else None
    fill([("lab", str(work), "s-1", text) for text in ("one", "two", "poison", "three")])
    sender.drain()
    assert (far_stash.texts, waiting(), refused()) == (["one", "two", "three"], [], [("poison", "bad_json")])


def test_a_refusal_that_is_not_of_stash_is_none(work, far_stash):
    far_stash.refuse = lambda body: (422, {"detail": "of a proxy"})
    put(work, prompt="one")
    sender.drain()
    assert (waiting(), refused()) == (["one"], [])


def test_an_event_the_server_rejects_is_set_aside_with_the_reason(work, far_stash):
    far_stash.reject = lambda event: problem("invalid_event", 422) if event["text"] == "two" else None
    fill([("lab", str(work), "s-1", text) for text in ("one", "two", "three")])
    sender.drain()
    assert (far_stash.texts, waiting(), refused()) == (["one", "three"], [], [("two", "invalid_event")])


@pytest.mark.parametrize("code", ["project_not_connected", "project_not_writable"])
def test_what_the_server_may_not_take_is_parked_until_something_is_agreed(work, far_stash, code):
    far_stash.reject = lambda event: problem(code, 409)
    fill([("lab", str(work), "s-1", text) for text in ("one", "two")])
    sender.drain()
    assert (parked(), waiting(), refused()) == (["one", "two"], [], [])
    calls = len(far_stash.bodies)
    assert Courier(Outbox().box("lab")).deliver() is Came.THROUGH
    assert len(far_stash.bodies) == calls

    far_stash.reject = lambda event: None
    put(work, prompt="three")
    connect(work, visibility="private")
    assert sender.drain() == 3
    assert (far_stash.texts, parked(), waiting()) == (["one", "two", "three"], [], [])


def test_what_is_parked_again_is_not_tried_for_ever(work, far_stash):
    far_stash.reject = lambda event: problem("project_not_connected", 409)
    fill([("lab", str(work), "s-1", "one")])
    sender.drain()
    sender.drain()
    assert (len(far_stash.bodies), parked()) == (2, ["one"])


def test_a_slow_server_does_not_hold_up_another(work, far_stash, tmp_path):
    with stash_like() as slow:
        slow.mode, slow.slowness = "slow", 3
        arrived = threading.Event()
        far_stash.on_request = arrived.set
        sign_in(slow.url, label="slow")
        fill([("slow", "/x", "s-1", "there"), ("lab", str(work), "s-2", "here")])
        draining = threading.Thread(target=sender.drain)
        draining.start()
        assert arrived.wait(20)
        assert slow.stored == []
        draining.join()
        assert (slow.texts, far_stash.texts) == (["there"], ["here"])


def test_a_broken_record_holds_up_nothing(work, far_stash):
    (inbox.folder() / "claude_code-x-1-1").mkdir()
    (inbox.folder() / "claude_code-x-1-2").write_bytes(b"no header")
    put(work, prompt="one")
    sender.drain()
    assert (far_stash.texts, list(inbox.records())) == (["one"], [])


def test_what_a_tool_did_minutes_ago_is_not_told_as_news(work, far_stash):
    put(work, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, at=time.time() - 600)
    put(work, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    sender.drain()
    assert ([event["kind"] for event in far_stash.stored], waiting()) == (["activity"], [])


def test_later_blocks_of_a_session_add_to_what_earlier_ones_said(work, far_stash):
    put(work, "SessionStart", source="startup", model="large-1")
    put(work, prompt="x")
    sender.drain()
    [body] = far_stash.bodies
    assert body["session"]["model"] == "large-1"


def test_what_waits_is_private_once_its_session_is(work, far_stash):
    far_stash.mode = 503
    put(work, prompt="open")
    sender.drain()
    recent.make_private("claude-code", "s-1")
    put(work, prompt="secret")
    far_stash.bodies.clear()
    far_stash.mode = "up"
    sender.drain()
    assert {body["session"].get("visibility") for body in far_stash.bodies} == {"private"}
    assert far_stash.texts == ["open", "secret"]


def test_what_the_server_wants_left_out_is_fetched_once_and_kept(work, far_stash):
    patterns = [{"type": "acme-key", "prefix": "acme_", "min": 10}]
    far_stash.config = {"projects": [], "patterns": patterns, "message": "Upgrade soon."}
    put(work, prompt="one")
    sender.drain()
    put(work, prompt="acme_0123456789abc")
    sender.drain()
    assert far_stash.config_asked == [""]
    assert far_stash.texts == ["one", "[redacted:acme-key]"]
    assert client_config.stored("lab").message == "Upgrade soon."


def test_an_old_configuration_is_asked_for_with_its_etag(work, far_stash):
    far_stash.config = {"projects": [], "patterns": [], "message": "hello"}
    client_config.refresh(accounts.load().main)
    path = client_config.path("lab")
    path.write_text(json.dumps({**json.loads(path.read_text()), "asked_at": 1}))
    client_config.refresh(accounts.load().main)
    assert (far_stash.config_asked, client_config.stored("lab").message) == (["", '"1"'], "hello")


@pytest.mark.parametrize("said", ["garbage", {}, {"projects": []}, {"projects": {}, "patterns": []}])
def test_a_page_that_is_no_configuration_takes_no_protection_away(work, far_stash, said):
    far_stash.config = {"projects": [], "patterns": [{"type": "acme-key", "prefix": "acme_", "min": 10}]}
    client_config.refresh(accounts.load().main)
    path = client_config.path("lab")
    path.write_text(json.dumps({**json.loads(path.read_text()), "asked_at": 1, "etag": ""}))
    before = path.read_bytes()
    far_stash.mode, far_stash.config = ("garbage", {}) if said == "garbage" else ("up", said)
    with pytest.raises(api.Unreachable):
        client_config.refresh(accounts.load().main)
    assert path.read_bytes() == before


def test_a_clock_that_was_set_back_keeps_nobody_waiting(work, far_stash):
    put(work, prompt="one")
    far_stash.mode = 401
    sender.drain()
    [box] = Outbox().boxes.values()
    told = json.loads((box.folder / "state.json").read_text())
    (box.folder / "state.json").write_text(json.dumps({**told, "error_at": time.time() + 1e6}))
    far_stash.mode = "up"
    assert Courier(box).deliver() is Came.THROUGH


class TestPlace:
    """Before a session begins, what its own project has goes first, within a time."""

    def test_sends_what_is_of_the_place(self, work, far_stash):
        fill([("lab", "/elsewhere", "s-9", f"{n}") for n in range(5)])
        put(work, prompt="mine")
        assert sender.drain_place(str(work), 10) is True
        assert far_stash.texts == ["mine"]
        assert waiting() == [f"{n}" for n in range(5)]

    def test_gives_up_in_time(self, work, far_stash, monkeypatch):
        monkeypatch.setattr(sender.waking, "wake", lambda: None)
        far_stash.mode = "slow"
        put(work, prompt="mine")
        assert sender.drain_place(str(work), 0.5) is False
        assert (waiting(), far_stash.stored) == (["mine"], [])

    def test_is_content_where_nothing_waits(self, work):
        assert sender.drain_place(str(work), 5) is True


class TestFlush:
    def test_stays_until_all_is_there(self, work, far_stash):
        far_stash.mode = 503
        put(work, prompt="one")
        threading.Timer(1, setattr, [far_stash, "mode", "up"]).start()
        assert sender.flush(30).nothing
        assert far_stash.texts == ["one"]

    def test_says_what_is_left(self, work, far_stash):
        far_stash.mode = 503
        put(work, prompt="one")
        assert sender.flush(0.2) == sender.Left(0, 1)

    def test_with_an_account_from_the_environment_alone(self, tmp_path, far_stash, monkeypatch):
        monkeypatch.setenv("STASH_URL", far_stash.url)
        monkeypatch.setenv("STASH_KEY", "stash_of_ci")
        put(tmp_path, prompt="one")
        assert sender.flush(10).nothing
        assert (far_stash.texts, far_stash.keys) == (["one"], ["Bearer stash_of_ci"])


class TestForget:
    """A person's word takes events out of inbox and outbox, and out of what was set aside."""

    def test_a_whole_session_with_its_subagents(self, work, far_stash):
        far_stash.mode = 503
        put(work, prompt="one")
        put(work, prompt="other", session="s-10")
        sender.drain()
        put(work, prompt="two")
        put(work, "PostToolUse", agent_id="a1", tool_name="Read", tool_input={}, tool_response="three")
        assert sender.forget("claude-code", "s-1") is True
        assert (waiting(), list(inbox.records()), forgetting.asked()) == (["other"], [], [])
        far_stash.mode = "up"
        sender.drain()
        assert far_stash.texts == ["other"]

    def test_from_a_moment_on(self, work, far_stash):
        from datetime import datetime

        now = time.time()
        put(work, prompt="early", at=now - 100)
        put(work, prompt="late", at=now - 10)
        since = datetime.fromtimestamp(now - 50, UTC)
        assert sender.forget("claude-code", "s-1", since=since) is True
        assert waiting() == ["early"]

    def test_also_what_was_captured_before_the_clock_was_set_back(self, work, far_stash):
        far_stash.mode = 503
        put(work, prompt="waits", at=time.time() + 5000)
        sender.drain()
        put(work, prompt="just came", at=time.time() + 9000)
        assert sender.forget("claude-code", "s-1") is True
        assert (waiting(), list(inbox.records())) == ([], [])

    def test_what_comes_afterwards_is_kept(self, work, far_stash):
        sender.forget("claude-code", "s-1")
        put(work, prompt="later")
        sender.drain()
        assert far_stash.texts == ["later"]

    def test_what_was_refused_goes_too(self, work, far_stash):
        far_stash.reject = lambda event: problem("invalid_event", 422)
        put(work, prompt="one")
        sender.drain()
        assert refused()
        sender.forget("claude-code", "s-1")
        assert refused() == []


def test_consent_taken_back_is_no_reason_to_keep_raw_payloads(work, far_stash):
    put(work, prompt="one")
    consent.save(consent.load().without(str(work)))
    sender.drain()
    assert (far_stash.stored, list(inbox.records()), waiting()) == ([], [], [])
