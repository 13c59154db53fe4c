"""A machine that is signed in to a server which keeps events, with one connected folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stash_client import accounts, consent
from stash_client.accounts import Account, Accounts
from stash_client.consent import Connection, Consents
from tests.client.stash_like import StashLike, stash_like


@pytest.fixture
def stash_home(tmp_path, monkeypatch) -> Path:
    """Where this machine keeps its things; nothing is there yet."""
    folder = tmp_path / "settings"
    monkeypatch.setenv("STASH_HOME", str(folder))
    for name in ("STASH_URL", "STASH_KEY", "STASH_OUTBOX_MIB"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def far_stash(stash_home) -> Iterator[StashLike]:
    with stash_like() as server:
        yield server


@pytest.fixture
def work(tmp_path, far_stash) -> Path:
    """A connected folder without git."""
    folder = (tmp_path / "work").resolve()
    folder.mkdir()
    sign_in(far_stash.url)
    connect(folder)
    return folder


def sign_in(url: str, *, label: str = "lab", key: str = "stash_key") -> None:
    account = Account(label, url, key, "m1", "laptop", "dana", "harbour")
    accounts.save(accounts.load().with_account(account))


def sign_out() -> None:
    accounts.save(Accounts())


def connect(folder: Path, *, label: str = "lab", visibility: str = "project", project: str = "") -> None:
    known: Consents = consent.load()
    connection = Connection(label, str(folder) if str(folder) != "." else "", project=project, visibility=visibility)
    consent.save(known.with_connection(connection))
