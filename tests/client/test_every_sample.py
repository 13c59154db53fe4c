"""Every payload we have of every agent, through the real hook script and sender; of a few, whatever the server does.

The hook ends with 0, says exactly what its agent reads back, and afterwards the server has every event once and in
order.
"""

from __future__ import annotations

import json
import resource
import shutil
import signal
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions_app.models import Event, Session
from stash_client import inbox, sender
from stash_client.harnesses import hook_answer, parse_hook
from stash_client.outbox import Outbox
from tests.client.hooking import Machine, Said
from tests.client.stash_like import StashLike, stash_like

SAMPLES = Path(__file__).parent.parent / "harness_samples"
HARNESSES = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir())
STATES = ["slow", "garbage", 401, 429, 500, "cut"]
Told = dict[str, list[tuple[str, str, str]]]


def samples(harness: str) -> list[tuple[str, bytes]]:
    """(event, payload), starts of sessions first."""
    files = sorted((SAMPLES / harness).glob("*.json"), key=lambda path: ("start" not in path.name.lower(), path.name))
    return [(path.name.split(".")[0], path.read_bytes()) for path in files]


def few() -> dict[str, list[tuple[str, bytes]]]:
    """All of those that differ most: answered only at the start, answered always, without a shell of their own."""
    return {harness: samples(harness) for harness in ("claude-code", "cursor", "opencode")}


@pytest.fixture
def machine(tmp_path, monkeypatch) -> Iterator[Machine]:
    """All folders are connected: the samples' own are not here."""
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "home"))
    for name in ("STASH_URL", "STASH_KEY", "STASH_MEMORY"):
        monkeypatch.delenv(name, raising=False)
    made = Machine(tmp_path)
    yield made
    made.stop_sender()


@pytest.fixture
def server(machine) -> Iterator[StashLike]:
    with stash_like() as running:
        machine.sign_in(running.url)
        machine.connect("")
        yield running


def play(machine: Machine, payloads: dict[str, list[tuple[str, bytes]]], **more) -> None:
    for harness, some_of in payloads.items():
        for event, payload in some_of:
            answer = hook_answer(harness, event, None)
            said = machine.hook(harness, event, cwd=machine.folder, payload=payload, **more)
            assert said == Said(0, answer, b""), (harness, event)
            assert not answer or isinstance(json.loads(answer), dict)


def expected(payloads: dict[str, list[tuple[str, bytes]]]) -> Told:
    """Per session, what a sender has to tell of these payloads; what a tool does just now may come too late."""
    told: Told = defaultdict(list)
    for harness, some_of in payloads.items():
        for event, payload in some_of:
            for batch in parse_hook(harness, payload, event=event):
                for one in batch.events:
                    if one.kind != "activity":
                        what = (one.kind, getattr(one, "name", "") or "", getattr(one, "call_id", "") or "")
                        told[f"{batch.session.harness} {batch.session.native_id}"].append(what)
    return {session: events for session, events in told.items() if events}


def stored(server: StashLike) -> Told:
    told: Told = defaultdict(list)
    for session, event in zip(server.sessions, server.stored, strict=True):
        if event["kind"] != "activity":
            what = (event["kind"], event.get("name", ""), event.get("call_id", ""))
            told[f"{session['harness']} {session['native_id']}"].append(what)
    return told


def all_is_there(server: StashLike, payloads: dict[str, list[tuple[str, bytes]]]) -> None:
    assert sender.flush(60).nothing
    assert stored(server) == expected(payloads)
    assert not list(inbox.records())
    assert not any(list(box.refused) for box in Outbox().boxes.values())


def test_server_up(machine, server):
    every = {harness: samples(harness) for harness in HARNESSES}
    play(machine, every)
    all_is_there(server, every)


@pytest.mark.parametrize("state", STATES)
def test_server_not_itself(machine, server, state):
    server.mode = state
    play(machine, few())
    machine.stop_sender()
    server.mode = "up"
    machine.sign_in(server.url.replace("127.0.0.1", "localhost") if state == 401 else server.url)
    all_is_there(server, few())


@pytest.mark.parametrize("trouble", ["disk full", "no inbox"])
def test_machine_not_itself(machine, server, trouble):
    """What cannot be written is lost; the agent never hears of it."""
    if trouble == "no inbox":
        shutil.rmtree(machine.home / "inbox")
        (machine.home / "inbox").write_text("")
        play(machine, few())
    else:
        play(machine, few(), preexec_fn=no_room)
    assert server.stored == []


def no_room() -> None:
    """Every write to a file fails, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.django_db(transaction=True)
def test_server_down_then_a_real_one(machine, live_server, dana):
    from tests.conftest import connect

    connect(dana, None)
    machine.sign_in("http://127.0.0.1:9")
    machine.connect("")
    every = {harness: samples(harness) for harness in HARNESSES}
    play(machine, every)
    machine.stop_sender()
    assert not Event.objects.exists()

    sign_in_to(live_server.url, dana.secret)
    assert sender.flush(120).nothing
    boxes = Outbox().boxes.values()
    assert [(frame.kind, problem) for box in boxes for _, frame, problem in box.refused] == []
    assert [entry.frame.key for box in boxes for entry in box.parked.entries()] == []
    wanted = expected(every)
    sessions = {f"{one.harness} {one.native_id}": one for one in Session.objects.all()}
    assert wanted.keys() <= sessions.keys()
    for name, events in wanted.items():
        kept = list(Event.objects.filter(session=sessions[name]).order_by("occurred_at", "n", "number"))
        assert in_order([kind for kind, _, _ in events], [event.kind for event in kept]), name
    assert Event.objects.count() == Event.objects.values("uid").distinct().count()


def in_order(told: list[str], kept: list[str]) -> bool:
    """Several samples tell of one moment (a tool call that several files show), which is kept once."""
    left = iter(told)
    return all(any(kind == one for one in left) for kind in kept) and set(told) == set(kept)


def sign_in_to(url: str, key: str) -> None:
    from stash_client import accounts

    accounts.save(accounts.Accounts((accounts.Account("lab", url, key, "m1", "laptop", "dana", "harbour"),)))
