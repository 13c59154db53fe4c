"""A pytest plugin: during the whole run no test, view or task may reach for anything but this machine.

An audit hook sees every connection that Python opens, whichever library asks for it.
"""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

_EVENTS = ("socket.connect", "socket.sendto", "socket.getaddrinfo")


class Reached(BaseException):
    """Not an Exception: code under test must not swallow it."""


def is_local(host: object) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _EVENTS:
        return
    address = arguments[0] if event == "socket.getaddrinfo" else arguments[1]
    host = address[0] if isinstance(address, tuple) else address
    is_path = event != "socket.getaddrinfo" and not isinstance(address, tuple)  # a Unix socket
    if not is_path and not is_local(host):
        raise Reached(f"{event}: {host!r}")


def pytest_configure() -> None:
    sys.addaudithook(_watch)
