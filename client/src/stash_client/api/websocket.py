"""A WebSocket that listens (RFC 6455): text messages in, answers to pings out, and nothing else."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Optional

from stash_client.api.connection import FAULTS, Connection
from stash_client.api.errors import Unreachable
from stash_client.api.http import said

_ACCEPTED = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _CLOSE, _PING, _PONG = 0x0, 0x1, 0x8, 0x9, 0xA
_MOST_BYTES = 64 * 1024 * 1024
_SILENCE = 75.0
"""Seconds: servers ping every 20 to 30; after this the connection is taken for dead."""


class NoWebSocket(Exception):
    """What answers there does not speak it: a server without it, or a proxy that does not let it through."""


class Closed(Exception):
    """The server closed it, for a reason of the protocol (1000 to 1015) or of ours (4000 and more)."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the server closed the stream ({code})")
        self.code = code


class Listener:
    """Opened by ``listen``. Iterating gives texts, and raises Closed or Unreachable at the end."""

    def __init__(self, connection: Connection, incoming: BinaryIO, silence: float) -> None:
        self._connection, self._incoming = connection, incoming
        self._sock: Any = connection.http.sock
        self._sock.settimeout(silence)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def __iter__(self) -> Iterator[str]:
        message = bytearray()
        try:
            while True:
                last, kind, data = self._frame()
                if kind == _CLOSE:
                    with contextlib.suppress(OSError):  # many servers are gone by now
                        self._answer(_CLOSE, data[:2])
                    raise Closed(int.from_bytes(data[:2], "big") if len(data) > 1 else 1005)
                if kind == _PING:
                    self._answer(_PONG, data)
                elif kind in (_TEXT, _CONTINUATION):
                    message += data
                    if len(message) > _MOST_BYTES:
                        raise Unreachable("a message of the stream is too long")
                    if last:
                        yield message.decode("utf-8", "replace")
                        message.clear()
        except OSError as fault:
            raise Unreachable(said(fault)) from None

    def _exactly(self, count: int) -> bytes:
        data = self._incoming.read(count) if count else b""
        if len(data) < count:
            raise Unreachable("the stream broke off")
        return data

    def _frame(self) -> tuple[bool, int, bytes]:
        first, second = self._exactly(2)
        length = second & 0x7F
        if length > 125:
            length = int.from_bytes(self._exactly(2 if length == 126 else 8), "big")
        if length > _MOST_BYTES or second & 0x80 or first & 0x70:
            raise Unreachable("the stream is not a WebSocket")
        return bool(first & 0x80), first & 0x0F, self._exactly(length)

    def _answer(self, kind: int, data: bytes) -> None:
        """A control frame; what a client sends is masked."""
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data[:125]))
        self._sock.sendall(bytes((0x80 | kind, 0x80 | len(masked))) + mask + masked)


def listen(url: str, headers: Optional[Mapping[str, str]] = None, *, seconds: float = 20) -> Listener:
    """Connected to ``url`` (http or https). Raises NoWebSocket, or Unreachable when nothing answers."""
    nonce = base64.b64encode(os.urandom(16)).decode()
    wanted = {
        **(headers or {}),
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": nonce,
    }
    connection = Connection(url, seconds)
    try:
        with connection.until(time.monotonic() + seconds):
            response = connection.ask("GET", url, wanted, None)
    except (*FAULTS, Unreachable) as fault:
        connection.close()
        raise Unreachable(said(fault)) from None
    expected = base64.b64encode(hashlib.sha1((nonce + _ACCEPTED).encode()).digest()).decode()  # noqa: S324 - RFC 6455
    if response.status == 101 and response.getheader("Sec-WebSocket-Accept") == expected:
        return Listener(connection, response.fp, _SILENCE)
    connection.close()
    if response.status == 429 or response.status >= 500:
        raise Unreachable(f"the server answered {response.status}")
    raise NoWebSocket(f"the server answered {response.status}")
