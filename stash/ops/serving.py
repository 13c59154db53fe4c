"""`manage.py serve`: everything one machine needs, under one Ctrl-C.

Django is not loaded here: the supervisor stays small, and its web processes are on their way at once.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from stash.ops import stamp
from stash.ops.supervisor import Child, Supervisor

_BACKLOG = 512
_PREPARE_WAITS, _WORKER_WAITS, _RECALL_WAITS, _MEANING_WAITS = 0.5, 2.0, 3.0, 4.0
"""Seconds that others leave the processors to the web processes when everything starts."""


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    try:
        listener = _listen(chosen.host, chosen.port)
    except OSError as error:
        other = "Choose another with --port, or make run PORT=..."
        return _say(f"Cannot listen on {chosen.host}:{chosen.port}: {error.strerror}. {other}", 1)
    shared = {"STASH_SERVED_AT": _address(chosen.host, listener), "STASH_WEB_PROCESSES": str(chosen.workers)}
    children = [
        *(_web(listener, number, shared) for number in range(chosen.workers)),
        _worker(shared),
        *_recall(shared),
    ]
    if chosen.prepare and stamp.is_current(_data()):
        children.append(_prepare(shared))
    elif chosen.prepare and (code := _prepare_first(shared)):
        return code
    Supervisor(children, report=_say).run()
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="manage.py serve", description="Web, WebSockets and background work.")
    parser.add_argument("--host", default="127.0.0.1", help="IPv4 address or name to listen on")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=1, help="web processes; they share one listening socket")
    parser.add_argument("--prepare", action="store_true", help="do what `manage.py prepare` does, too")
    return parser.parse_args(arguments)


def _listen(host: str, port: int) -> socket.socket:
    """The one socket all web processes accept from: while one of them restarts, connections wait instead of failing.

    daphne adopts IPv4 sockets only; IPv6 is the business of a proxy in front.
    """
    _, _, _, _, where = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_STREAM)[0]
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(where)
    listener.listen(_BACKLOG)
    return listener


def _address(host: str, listener: socket.socket) -> str:
    return f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{listener.getsockname()[1]}"  # noqa: S104


def _data() -> Path:
    return Path(os.environ.get("STASH_DATA") or stamp.BASE / "var")


def _web(listener: socket.socket, number: int, shared: dict[str, str]) -> Child:
    several = shared["STASH_WEB_PROCESSES"] != "1"
    command = [sys.executable, "-m", "daphne", "-v", "0", "--no-server-name", "--fd", str(listener.fileno())]
    return Child(
        name=f"web {number + 1}" if several else "web",
        command=[*command, "stash.asgi:application"],
        environ=shared,
        pass_fds=(listener.fileno(),),
    )


def _worker(shared: dict[str, str]) -> Child:
    return Child(
        name="background work",
        command=[sys.executable, sys.argv[0], "qcluster"],
        environ={**shared, "STASH_ROLE": "worker"},
        due=time.monotonic() + _WORKER_WAITS,
    )


def _recall(shared: dict[str, str]) -> list[Child]:
    """Two processes, so that reading for meaning, which takes its time, never keeps words from being found."""
    works = (("recall", "index", _RECALL_WAITS), ("recall by meaning", "embed", _MEANING_WAITS))
    return [
        Child(
            name=name,
            command=[sys.executable, sys.argv[0], command],
            environ={**shared, "STASH_ROLE": "recall"},
            due=time.monotonic() + waits,
        )
        for name, command, waits in works
    ]


def _prepare(shared: dict[str, str]) -> Child:
    """Beside the web processes, when there is most likely nothing to do."""
    due = time.monotonic() + _PREPARE_WAITS
    return Child(name="prepare", command=_prepare_command(), environ=shared, due=due, once=True)


def _prepare_first(shared: dict[str, str]) -> int:
    _say("Preparing; the first start takes a moment ...")
    try:
        return subprocess.run(_prepare_command(), env={**os.environ, **shared}, check=False).returncode
    except KeyboardInterrupt:
        return 130


def _prepare_command() -> list[str]:
    return [sys.executable, sys.argv[0], "prepare"]


def _say(line: str, code: int = 0) -> int:
    """To the terminal, as logs do; answers ``code``."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
    return code
