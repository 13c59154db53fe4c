"""What Stash keeps on a machine is for its person alone, also where the folder was there before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stash_client import home, hookscript, inbox, recent
from stash_client.outbox import Outbox
from tests.client.conftest import connect, sign_in
from tests.client.sender.bulk import fill


@pytest.fixture
def careless():
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_whatever_the_umask_nothing_is_for_others(stash_home, careless, tmp_path):
    stash_home.mkdir(mode=0o777)
    sign_in("http://127.0.0.1:9")
    connect(tmp_path)
    hookscript.write()
    inbox.put({"harness": "claude-code"}, b"{}")
    inbox.note_fault("x")
    recent.make_private("codex", "s-1")
    fill([("lab", str(tmp_path), "s-1", "text")])
    Outbox().close()
    shared = [stash_home / "bin" / "stash-hook"]
    found = [path for path in (stash_home, *stash_home.rglob("*")) if mode(path) & 0o077 and path not in shared]
    assert found == []


def test_a_folder_that_is_everybodys_is_left_so(stash_home):
    stash_home.mkdir()
    stash_home.chmod(0o1777)
    home.made("inbox")
    assert mode(stash_home) == 0o1777
    assert mode(stash_home / "inbox") == 0o700


def test_what_cannot_be_put_in_its_place_leaves_nothing_beside_it(stash_home):
    taken = home.made("accounts.json")
    with pytest.raises(OSError):
        home.write_private(taken, b"stash_key")
    assert [path.name for path in stash_home.iterdir()] == ["accounts.json"]
