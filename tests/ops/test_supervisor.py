"""Real processes: what dies comes back, what stops leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from stash.ops.supervisor import FIRST_DELAY, LONGEST_DELAY, STEADY_AFTER, Child
from tests.engines import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180

pytestmark = pytest.mark.one_engine


class Server:
    """`manage.py serve --prepare` on a data folder of its own."""

    def __init__(self, data: Path, *arguments: str) -> None:
        self.port = free_port()
        self.log = data / "log"
        environ = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
        environ |= {"STASH_DATA": str(data), "PYTHONPATH": str(ROOT / "client/src")}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--prepare", "--port", str(self.port), *arguments],
                cwd=ROOT, env=environ, stdout=log, stderr=log,
            )  # fmt: skip

    def get(self, path: str) -> int | None:
        """The status, or None while nobody answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def children(self) -> dict[int, str]:
        return descendants(self.process.pid)

    def child(self, word: str) -> int:
        return next(pid for pid, line in self.children().items() if word in line)


def descendants(root: int) -> dict[int, str]:
    """Command lines of all processes below ``root``, by pid."""
    rows = subprocess.run(["ps", "-eo", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    table = [row.split(None, 3) for row in rows.splitlines()]
    found: dict[int, str] = {}
    wanted = {root}
    while wanted:
        level = {int(pid): line for pid, parent, stat, line in table if int(parent) in wanted and stat[0] != "Z"}
        found |= level
        wanted = set(level)
    return found


def eventually(holds) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.1)
    return False


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("serve")


@pytest.fixture
def server(data) -> Iterator[Server]:
    server = Server(data)
    try:
        assert eventually(lambda: server.get("/healthz") == 200), server.log.read_text()
        assert eventually(lambda: any("qcluster" in line for line in server.children().values()))
        yield server
    finally:
        left = server.children()
        server.process.kill()
        server.process.wait()
        for pid in filter(alive, left):
            os.kill(pid, signal.SIGKILL)


def test_web_process_comes_back_after_kill(server):
    before = server.child("daphne")
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: before not in server.children())
    assert eventually(lambda: server.get("/healthz") == 200)
    assert server.child("daphne") != before


def test_background_work_comes_back_after_kill_without_orphans(server):
    before = server.child("qcluster")
    family = descendants(before)
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: any("qcluster" in line and pid != before for pid, line in server.children().items()))
    assert eventually(lambda: not any(map(alive, family)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_stops_everything(server, number):
    everybody = server.children()
    server.process.send_signal(number)
    assert server.process.wait(PATIENCE) == 0
    assert not any(map(alive, everybody))


def test_children_die_with_a_killed_supervisor(server):
    everybody = server.children()
    server.process.kill()
    assert eventually(lambda: not any(map(alive, everybody)))


def test_a_taken_port_is_said_plainly(server, data):
    second = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", str(server.port)],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE,
        env={**os.environ, "STASH_DATA": str(data), "PYTHONPATH": str(ROOT / "client/src")},
    )  # fmt: skip
    assert second.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{server.port}" in second.stderr


def test_restarts_back_off_and_forgive_a_steady_child():
    child = Child("web", ["true"])
    assert [child.note_death(now) for now in range(9)] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    child.started = 1000
    assert child.note_death(1000 + STEADY_AFTER + 1) == FIRST_DELAY
    assert child.note_death(1000 + 2) <= LONGEST_DELAY
