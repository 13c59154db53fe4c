"""The sender as a process of its own: one at a time, gone when idle, started anew after any death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stash_client import consent, home, inbox, sender, waking
from stash_client.outbox import Outbox
from stash_client.sender import process, retrying
from stash_client.sender.lock import alone
from tests.client.conftest import connect, sign_in
from tests.client.records import put
from tests.client.sender.waiting import eventually
from tests.client.stash_like import problem

LIBRARY = Path(__file__).parents[3] / "client" / "src"


def start(*, idle: float = 20, patience: float = 600) -> subprocess.Popen:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from stash_client.sender.process import run;"
        " run(idle=float(sys.argv[2]), patience=float(sys.argv[3]))"
    )
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", program, str(LIBRARY), str(idle), str(patience)])


@contextmanager
def running(**facts) -> Iterator[subprocess.Popen]:
    one = start(**facts)
    try:
        eventually(lambda: waking.told_pid() == one.pid)
        yield one
    finally:
        one.kill()
        one.wait()


def test_it_sends_what_comes_and_goes_when_nothing_does(work, far_stash):
    one = start(idle=1)
    put(work, prompt="one")
    eventually(lambda: far_stash.texts == ["one"])
    put(work, prompt="two")
    assert one.wait(30) == 0
    assert far_stash.texts == ["one", "two"]
    assert not list((home.folder() / "outbox").rglob("*.frames"))
    assert waking.told_pid() == 0


def test_a_hook_starts_it_detached(work, far_stash):
    put(work, prompt="one")
    waking.wake()
    try:
        eventually(lambda: far_stash.texts == ["one"])
        assert not (home.folder() / "waking").exists()
        assert os.getsid(waking.told_pid()) != os.getsid(0)
    finally:
        os.kill(waking.told_pid(), signal.SIGKILL)


def test_a_second_one_leaves_the_work_to_the_first(work, far_stash):
    with running() as first:
        second = start()
        assert second.wait(30) == 0
        assert waking.told_pid() == first.pid
        put(work, prompt="one")
        eventually(lambda: far_stash.texts == ["one"])


def test_twenty_at_once_send_everything_once(work, far_stash):
    for number in range(50):
        put(work, prompt=f"{number}")
    many = [start(idle=1) for _ in range(20)]
    assert [one.wait(60) for one in many] == [0] * 20
    assert (far_stash.texts, far_stash.duplicates) == ([f"{n}" for n in range(50)], 0)


def test_a_dead_ones_files_stop_nobody(work, far_stash):
    with running() as first:
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert waking.told_pid() == first.pid
    put(work, prompt="one")
    assert sender.drain() == 1
    assert waking.told_pid() == 0


def test_while_one_runs_others_watch_it_work(work, far_stash):
    with running():
        put(work, prompt="one")
        assert sender.drain_place(str(work), 20) is True
        put(work, prompt="two")
        assert sender.flush(20).nothing
        assert far_stash.texts == ["one", "two"]


def test_a_running_one_forgets_when_told(work, far_stash):
    far_stash.mode = 503
    with running():
        put(work, prompt="one")
        put(work, prompt="other", session="s-2")
        eventually(lambda: sender.left() == sender.Left(0, 2))
        assert sender.forget("claude-code", "s-1") is True
        far_stash.mode = "up"
        retrying.ask()
        eventually(lambda: far_stash.texts == ["other"])


def test_a_running_one_hears_of_a_new_connection(work, far_stash):
    far_stash.reject = lambda event: problem("project_not_connected", 409)
    with running():
        put(work, prompt="one")
        eventually(lambda: not Outbox().box("lab").parked.is_empty)
        far_stash.reject = lambda event: None
        connect(work, visibility="private")
        eventually(lambda: far_stash.texts == ["one"])


def test_a_running_one_hears_of_a_new_key(work, far_stash):
    far_stash.mode = 401
    with running():
        put(work, prompt="one")
        eventually(lambda: far_stash.bodies)
        far_stash.mode = "up"
        sign_in(far_stash.url, key="stash_another")
        eventually(lambda: far_stash.texts == ["one"])
        assert far_stash.keys[-1] == "Bearer stash_another"


def test_it_goes_on_trying_by_itself(work, far_stash):
    far_stash.mode = 503
    with running():
        put(work, prompt="one")
        eventually(lambda: len(far_stash.bodies) > 1)
        far_stash.mode = "up"
        eventually(lambda: far_stash.texts == ["one"])


def test_it_gives_up_at_last_and_loses_nothing(work, far_stash):
    far_stash.mode = 503
    put(work, prompt="one")
    assert start(idle=0.2, patience=1).wait(30) == 0
    assert sender.left() == sender.Left(0, 1)


def test_what_comes_while_it_goes_is_not_forgotten(work, far_stash, monkeypatch):
    """A hook that saw the pid file just before it was taken away starts nobody; its record is there by then."""
    leaving = waking.leaving

    def leave_with_a_record() -> None:
        if not far_stash.stored:
            put(work, prompt="last moment")
        leaving()

    monkeypatch.setattr(waking, "leaving", leave_with_a_record)
    process.run(idle=0.1)
    assert far_stash.texts == ["last moment"]


@pytest.mark.parametrize("seed", range(3))
def test_killed_again_and_again_it_loses_and_doubles_nothing(work, far_stash, seed):
    """Kills at many different lines: from its first import to the middle of a write or an answer."""
    total = 0
    for turn in range(12):
        for number in range(8):
            put(work, prompt=f"{total + number}")
        total += 8
        one = start(idle=5)
        time.sleep(0.08 + 0.013 * ((turn * 7 + seed * 3) % 19))
        one.kill()
        one.wait()
    sender.flush(30)
    assert far_stash.texts == [f"{n}" for n in range(total)]


def test_at_every_line_of_its_work_it_may_die(work, far_stash):
    """The process kills itself at the n-th line it executes of collecting, writing and sending."""
    script = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from stash_client import sender
from stash_client.sender import collecting, courier, once
from stash_client.outbox import boxes, queue, writer, segments
left = int(sys.argv[2])
files = {module.__file__ for module in (collecting, courier, once, boxes, queue, writer, segments)}
def trace(frame, event, argument):
    global left
    if frame.f_code.co_filename not in files:
        return None
    if event == "line":
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return trace
import threading
threading.settrace(trace)
sys.settrace(trace)
sender.drain()
os._exit(77)
"""
    line, step, texts = 3, 23, []
    while True:
        texts += [f"{line} a", f"{line} b"]
        put(work, prompt=f"{line} a")
        put(work, prompt=f"{line} b")
        done = subprocess.run([sys.executable, "-I", "-S", "-c", script, str(LIBRARY), str(line)])
        sender.drain()
        assert far_stash.texts == texts
        if done.returncode == 77:
            break
        assert done.returncode == -signal.SIGKILL
        line += step
    assert line > 200
    assert sender.left().nothing


class TestLock:
    def test_one_at_a_time(self, stash_home):
        with alone() as first, alone() as second:
            assert (first, second) == (True, False)
        with alone() as third:
            assert third is True

    def test_whoever_cannot_have_it_lets_hooks_start_another(self, stash_home):
        with alone():
            (home.folder() / "waking").touch()
            with alone() as second:
                assert (second, (home.folder() / "waking").exists()) == (False, False)

    def test_says_who_it_is_while_it_lasts(self, stash_home):
        with alone():
            assert waking.told_pid() == os.getpid()
        assert waking.told_pid() == 0


def test_a_disk_without_room_keeps_the_records_and_sends_on(work, far_stash):
    """A limit on the size of files stands for the disk."""
    put(work, prompt="x" * 20_000)
    script = """
import resource, signal, sys
sys.path.insert(0, sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
from stash_client.sender.process import run
run(idle=0.5)
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script, str(LIBRARY)], timeout=60)
    assert done.returncode == 0
    assert (len(list(inbox.records())), far_stash.stored) == (1, [])
    sender.drain()
    assert [len(text) for text in far_stash.texts] == [20_000]
    assert consent.load().connections
