"""Real servers for the tests: a throw-away PostgreSQL cluster and Redis, and what is missing here, said plainly.

Run as a pytest plugin it leaves out what cannot run (and says so at the end); `tests/run.py` starts the servers.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_START_SECONDS = 60
_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=200", "shared_buffers=128MB")


def postgres_binaries() -> Path | None:
    """The folder of the newest PostgreSQL server on this machine."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(versions, key=lambda folder: int(folder.parent.name), default=None)


def chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def postgres() -> Iterator[str]:
    """The DATABASE_URL of a new cluster that lives as long as the block. Never run as root: PostgreSQL refuses."""
    binaries = postgres_binaries()
    if binaries is None:
        raise FileNotFoundError("initdb")
    user = _unprivileged_user()
    with tempfile.TemporaryDirectory(prefix="stash-pg-", ignore_cleanup_errors=True) as folder:
        password, port = secrets.token_hex(16), free_port()
        secret = Path(folder, "password")
        secret.write_text(password)
        if user:
            for path in (folder, secret):
                shutil.chown(path, user)
        data = Path(folder, "data")
        as_user = {"user": user, "extra_groups": []} if user else {}
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "stash", "--pwfile", secret, "-A", "scram-sha-256",
             "-N", "-E", "UTF8"],
            check=True, stdout=subprocess.DEVNULL, cwd=folder, **as_user,
        )  # fmt: skip
        options = [argument for option in _FAST for argument in ("-c", option)]
        command = [binaries / "postgres", "-D", data, "-k", folder, "-h", "127.0.0.1", "-p", str(port), *options]
        with (
            Path(folder, "log").open("wb") as log,
            _running(command, stdout=log, stderr=log, cwd=folder, **as_user) as server,
        ):
            _wait_for(port, server)
            yield f"postgres://stash:{password}@127.0.0.1:{port}/postgres"


@contextmanager
def redis() -> Iterator[str]:
    """The REDIS_URL of a new server that keeps nothing and lives as long as the block."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with _running(command, stdout=subprocess.DEVNULL) as server:
        _wait_for(port, server)
        yield f"redis://127.0.0.1:{port}/0"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _unprivileged_user() -> str | None:
    """Whom to become: nobody else unless we are root."""
    if os.getuid() != 0:
        return None
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def _running(command: list, **options) -> Iterator[subprocess.Popen]:
    server = subprocess.Popen(command, **options)
    try:
        yield server
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_for(port: int, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError(f"{server.args[0]} did not start")


# ---- the pytest plugin ----------------------------------------------------------------------------------------------

_left_out = pytest.StashKey[dict[str, int]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs a server or browser that is not there, instead of failing or pretending."""
    missing = {}
    if not chromium():
        missing["browser"] = "no Chromium"
    if not os.environ.get("REDIS_URL"):
        missing["redis"] = "no REDIS_URL"
    counts: dict[str, int] = {}
    kept, gone = [], []
    for item in items:
        reason = next((f"{mark} ({why})" for mark, why in missing.items() if item.get_closest_marker(mark)), None)
        (gone if reason else kept).append(item)
        if reason:
            counts[reason] = counts.get(reason, 0) + 1
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = kept
    config.stash[_left_out] = counts


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    for reason, count in config.stash.get(_left_out, {}).items():
        terminalreporter.write_line(f"left out: {count} tests marked {reason}")
