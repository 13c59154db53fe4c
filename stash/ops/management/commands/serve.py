"""`manage.py serve`: everything one machine needs, under one Ctrl-C."""

from __future__ import annotations

import os
import socket
import sys
import time
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from stash.ops.prepare import prepare as apply_what_is_due
from stash.ops.supervisor import Child, Supervisor

_BACKLOG = 512
_WORKER_WAITS = 2.0
"""Seconds that background work leaves the processors to the web processes when everything starts."""


class Command(BaseCommand):
    help = "Serves web, WebSockets and background work; restarts what dies; one Ctrl-C stops all."
    requires_system_checks = []  # the processes it starts check for themselves, and seconds count here

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="IPv4 address or name to listen on.")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=1, help="Web processes; they share one listening socket.")
        parser.add_argument("--prepare", action="store_true", help="First do what `manage.py prepare` does.")

    def handle(self, *, host: str, port: int, workers: int, prepare: bool, **options: Any) -> None:
        listener = _listen(host, port)
        address = os.environ.setdefault("STASH_URL", _address(host, listener.getsockname()[1]))
        if prepare:
            apply_what_is_due(self._say)
            _let_go_of_the_database()
        children = [*(_web(listener, number, workers) for number in range(workers)), _worker(workers)]
        welcome = partial(self._welcome, address, with_link=prepare)
        Supervisor(children, report=self._report, started=welcome).run()

    def _welcome(self, address: str, *, with_link: bool) -> None:
        """Said while the web processes load; making the link takes the whole URL table."""
        self._say(f"Stash is at {address}  (Ctrl-C stops it)")
        if with_link:
            from stash.ops import welcome

            for line in welcome.lines(address):
                self._say(line)
        _let_go_of_the_database()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _report(self, line: str) -> None:
        self.stderr.write(line)


def _let_go_of_the_database() -> None:
    """A pool has threads, and starting processes from a program with threads is not safe."""
    for connection in connections.all(initialized_only=True):
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()  # type: ignore[attr-defined]


def _listen(host: str, port: int) -> socket.socket:
    """The one socket all web processes accept from: while one of them restarts, connections wait instead of failing."""
    try:
        # daphne adopts IPv4 sockets only; IPv6 is the business of a proxy in front.
        _, _, _, _, where = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_STREAM)[0]
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(_BACKLOG)
    except OSError as error:
        raise CommandError(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with --port.") from None
    return listener


def _address(host: str, port: int) -> str:
    return f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104


def _web(listener: socket.socket, number: int, workers: int) -> Child:
    command = [sys.executable, "-m", "daphne", "-v", "0", "--no-server-name", "--fd", str(listener.fileno())]
    return Child(
        name=f"web {number + 1}" if workers > 1 else "web",
        command=[*command, "stash.asgi:application"],
        environ={"STASH_WEB_PROCESSES": str(workers)},
        pass_fds=(listener.fileno(),),
    )


def _worker(workers: int) -> Child:
    return Child(
        name="background work",
        command=[sys.executable, sys.argv[0], "qcluster"],
        environ={"STASH_ROLE": "worker", "STASH_WEB_PROCESSES": str(workers)},
        due=time.monotonic() + _WORKER_WAITS,
    )
