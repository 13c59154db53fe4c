"""Nothing is opened that is not configured: one door, and the whole test run is watched (tests/no_outgoing.py)."""

from __future__ import annotations

import ast
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.no_outgoing import Reached

ROOT = Path(__file__).resolve().parents[1]
DOOR = {"stash/outbound.py": {"http.client", "socket", "ssl"}}
LISTENS = {"stash/ops/serving.py": {"socket"}}
STAYS_HERE = {"stash/recall/meaning.py": {"socket"}}
"""A Unix socket to another process of this installation."""
NETWORK = {
    "aiohttp", "asyncio.open_connection", "ftplib", "http.client", "httpx", "imaplib", "poplib", "requests", "smtplib",
    "socket", "ssl", "telnetlib", "urllib.request", "urllib3", "websockets", "xmlrpc.client",
}  # fmt: skip
SERVER = ("stash", "accounts", "sessions_app", "wiki")
SHARED = ("client/src/stash_client/events.py", "client/src/stash_client/ids.py")
SHARED_PACKAGES = ("client/src/stash_client/privacy", "client/src/stash_client/harnesses")


def modules() -> Iterator[Path]:
    for folder in (*SERVER, *SHARED_PACKAGES):
        yield from (ROOT / folder).rglob("*.py")
    yield from (ROOT / name for name in SHARED)


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_only_the_door_imports_what_opens_connections():
    found = {}
    for path in modules():
        used = NETWORK & set(imported(path))
        if used:
            found[str(path.relative_to(ROOT))] = used
    assert found == {**DOOR, **LISTENS, **STAYS_HERE}


def test_the_watch_sees_connections_and_lookups():
    with pytest.raises(Reached, match="example"):
        urllib.request.urlopen("http://example.test/", timeout=1)
    with socket.socket() as probe, pytest.raises(Reached):
        probe.connect(("192.0.2.1", 443))
