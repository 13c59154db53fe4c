"""Whether a sender lives is told by a file, which may be old, foreign or gone."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stash_client import home, waking


@pytest.fixture
def stranger(stash_home) -> Iterator[Path]:
    """``sender.pid`` with the id of a process that lives and is no sender."""
    with subprocess.Popen(["sleep", "600"]) as process:
        path = home.made() / "sender.pid"
        path.write_text(f"{process.pid}\n")
        yield path
        process.kill()


def set_age(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds, time.time() - seconds))


def test_a_process_id_that_came_again_is_no_sender(stranger):
    waking.heal()
    assert waking.alive()
    set_age(stranger, 3600)
    waking.heal()
    assert not stranger.exists()


@pytest.mark.parametrize("age", [3600, -3600])
def test_what_began_long_ago_or_in_the_future_keeps_nobody_from_starting(stash_home, age):
    path = home.made() / "waking"
    path.touch()
    waking.heal()
    assert path.exists()
    set_age(path, age)
    waking.heal()
    assert not path.exists()


def test_a_sender_says_that_it_lives_also_where_its_file_was_taken_away(stash_home):
    waking.arrived()
    path = home.folder() / "sender.pid"
    set_age(path, 3600)
    waking.beat()
    waking.heal()
    assert waking.told_pid() == os.getpid()
    path.unlink()
    waking.beat()
    assert waking.told_pid() == os.getpid()
