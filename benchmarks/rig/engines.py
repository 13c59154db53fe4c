"""Throw-away PostgreSQL and Redis servers on free ports, stopped and deleted on exit; nothing installed is touched."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


class CannotMeasure(SystemExit):
    """Something needed is missing or failed: the command ends with status 1 and says what."""

    def __init__(self, why: str) -> None:
        super().__init__(f"cannot measure: {why}")


@dataclass(frozen=True)
class Engine:
    """A database to measure with. ``pids``: of its own server processes (their children count as well)."""

    name: str
    env: dict[str, str]
    pids: tuple[int, ...] = field(default=())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def engine(name: str, *, with_redis: bool = False) -> Iterator[Engine]:
    """``sqlite`` or ``postgres``, empty, with a data folder of its own."""
    # Terminated means cleaned up as well: otherwise the cluster would outlive the measurement.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.ExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory(prefix="stash-bench-"))
        Path(data, "static").mkdir()
        env = {"STASH_DATA": data, "DATABASE_URL": f"sqlite:///{data}/stash.sqlite3"}
        pids: list[int] = []
        if name == "postgres":
            env["DATABASE_URL"], pid = stack.enter_context(postgres())
            pids.append(pid)
        if with_redis:
            env["REDIS_URL"], pid = stack.enter_context(redis())
            pids.append(pid)
        yield Engine(name, env, tuple(pids))


@contextlib.contextmanager
def postgres() -> Iterator[tuple[str, int]]:
    """(url of an empty database, pid of the postmaster). Default durability: every commit waits for the disk."""
    programs = _postgres_programs()
    folder = Path(tempfile.mkdtemp(prefix="stash-bench-pg-"))
    port = free_port()
    account = _unprivileged(folder)
    try:
        _run([programs / "initdb", "-D", folder / "data", "-U", "stash", "-A", "trust", "-N"], account)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c max_connections=200"
        _run(
            [programs / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start"],
            account,
        )
        try:
            _run([programs / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "stash", "stash"], account)
            postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
            yield f"postgres://stash@127.0.0.1:{port}/stash", postmaster
        finally:
            _run([programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"], account)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _postgres_programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    if on_path := shutil.which("initdb"):
        return Path(on_path).parent
    raise CannotMeasure("PostgreSQL's programs (initdb, pg_ctl) are not installed; try --engine sqlite")


def _unprivileged(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root: the account to run it as, or None for one's own."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    account = "postgres" if "postgres" in names else "nobody"
    shutil.chown(folder, account)
    return account


def _run(command: list[object], account: str | None) -> None:
    done = subprocess.run(
        [str(part) for part in command], user=account, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/"
    )
    if done.returncode:
        raise CannotMeasure(f"{Path(str(command[0])).name}: {done.stderr.decode(errors='replace')[-300:]}")


@contextlib.contextmanager
def redis() -> Iterator[tuple[str, int]]:
    program = shutil.which("redis-server")
    if program is None:
        raise CannotMeasure("redis-server is not installed; try --no-redis")
    port = free_port()
    process = subprocess.Popen(
        [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        wait_for_port(port)
        yield f"redis://127.0.0.1:{port}/0", process.pid
    finally:
        process.terminate()
        process.wait()


def wait_for_port(port: int, *, seconds: float = 60, process: subprocess.Popen[bytes] | None = None) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process is not None and process.poll() is not None:
            raise CannotMeasure(f"the server ended at once (status {process.returncode}); see above")
        time.sleep(0.02)
    raise CannotMeasure(f"nothing answers on port {port}")
