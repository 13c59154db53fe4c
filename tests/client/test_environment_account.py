"""Two variables are an account and consent for what runs with them, and for nothing else on the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stash_client import accounts, connecting, consent, hookscript, inbox, sender
from stash_client.capture import Capture
from stash_client.consent import Connection, Consents
from stash_client.outbox import Outbox
from tests.client.conftest import connect, sign_in
from tests.client.records import put
from tests.client.stash_like import StashLike, stash_like


@pytest.fixture
def ours(stash_home) -> Iterator[StashLike]:
    """Signed in to by a person."""
    with stash_like() as server:
        sign_in(server.url)
        yield server


@pytest.fixture
def named(ours) -> Iterator[StashLike]:
    with stash_like() as server:
        yield server


def enter(monkeypatch, url: str) -> None:
    monkeypatch.setenv("STASH_URL", url)
    monkeypatch.setenv("STASH_KEY", "stash_of_environment")


def leave(monkeypatch) -> None:
    monkeypatch.delenv("STASH_URL")
    monkeypatch.delenv("STASH_KEY")


def servers_of(path: Path) -> set[str]:
    return {frame.server for frame in Capture().captured(inbox.read(path)).frames}


def test_what_runs_there_goes_to_the_server_it_names(ours, named, tmp_path, monkeypatch):
    enter(monkeypatch, f"{named.url}/")
    put(tmp_path, prompt="in the environment")
    assert sender.flush(20).nothing
    assert (named.texts, set(named.keys)) == (["in the environment"], {"Bearer stash_of_environment"})
    assert ours.bodies == []


def test_a_sender_of_another_environment_sends_it_nowhere_else(ours, named, tmp_path, monkeypatch):
    connect(Path())
    enter(monkeypatch, named.url)
    put(tmp_path, prompt="in the environment")
    leave(monkeypatch)
    sender.drain()
    assert (ours.bodies, named.bodies) == ([], [])
    with stash_like() as third:
        enter(monkeypatch, third.url)
        sender.drain()
        assert (ours.bodies, named.bodies, third.bodies) == ([], [], [])
    enter(monkeypatch, named.url)
    sender.drain()
    assert named.texts == ["in the environment"]


@pytest.mark.parametrize("everything", [True, False])
def test_a_sender_of_an_environment_sends_there_nothing_from_outside(ours, named, tmp_path, monkeypatch, everything):
    if everything:
        connect(Path())
    record = put(tmp_path, prompt="outside")
    enter(monkeypatch, named.url)
    assert servers_of(record) == ({"lab"} if everything else set())
    sender.drain()
    assert named.bodies == []
    assert ours.texts == (["outside"] if everything else [])


def test_a_folder_its_person_connected_goes_where_they_said(ours, named, tmp_path, monkeypatch):
    connect(tmp_path)
    enter(monkeypatch, named.url)
    assert servers_of(put(tmp_path, prompt="x")) == {"lab"}


def test_what_is_agreed_to_meanwhile_takes_nothing_away(ours, named, tmp_path, monkeypatch):
    everything = Connection("lab", "", visibility="project")
    consent.save(Consents((everything,)))
    before = hookscript.text()
    enter(monkeypatch, named.url)
    assert hookscript.text() == before
    connecting.refuse(str(tmp_path))
    leave(monkeypatch)
    assert consent.load() == Consents((everything,), (str(tmp_path),))


def test_neither_address_nor_key_stands_in_the_queue(ours, named, tmp_path, monkeypatch):
    named.mode = 503
    enter(monkeypatch, named.url)
    put(tmp_path, prompt="x")
    sender.drain()
    [box] = Outbox().boxes.values()
    assert accounts.is_of_environment(box.server)
    for path in box.folder.rglob("*"):
        if path.is_file():
            assert named.url.encode() not in path.read_bytes(), path
            assert b"stash_of_environment" not in path.read_bytes(), path
