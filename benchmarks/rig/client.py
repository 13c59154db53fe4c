"""A lean HTTP client on raw sockets: its own cost must not hide the server's."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field


class Refused(Exception):
    """The server answered with an error."""


def request(method: str, path: str, *, secret: str = "", body: bytes = b"", cookie: str = "") -> bytes:
    """One request, ready to be written to a kept-alive connection."""
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    head += ["Content-Type: application/json"] if body else []
    head += [f"Authorization: Bearer {secret}"] if secret else []
    head += [f"Cookie: {cookie}"] if cookie else []
    return "\r\n".join([*head, "", ""]).encode() + body


class Connection:
    """One kept-alive connection, opened on first use and again after it broke."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, raw: bytes) -> tuple[int, bytes]:
        """(status, body) of the answer. Raises OSError or EOFError when the connection breaks."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=64 * 1024 * 1024)
        reader, writer = self._streams
        try:
            writer.write(raw)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            status = int(head.split(b" ", 2)[1])
            body = await self._body(reader, head)
        except (OSError, EOFError):
            self.close()
            raise
        if b"connection: close" in head:
            self.close()
        return status, body

    async def _body(self, reader: asyncio.StreamReader, head: bytes) -> bytes:
        _, found, rest = head.partition(b"content-length:")
        if found:
            return await reader.readexactly(int(rest.split(b"\r\n", 1)[0]))
        if b"transfer-encoding: chunked" not in head:
            return b""
        pieces = []
        while size := int((await reader.readline()).split(b";")[0], 16):
            pieces.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(pieces)

    def close(self) -> None:
        if self._streams is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self._streams[1].close()
            self._streams = None


@dataclass
class Timing:
    """How a number of requests went; seconds each, in all, and how many events they carried."""

    each: list[float] = field(default_factory=list)
    wall: float = 0.0
    events: int = 0
    cpu_server: float = 0.0
    cpu_database: float = 0.0

    def __iadd__(self, other: Timing) -> Timing:
        self.each += other.each
        self.wall += other.wall
        self.events += other.events
        self.cpu_server += other.cpu_server
        self.cpu_database += other.cpu_database
        return self

    @property
    def rate(self) -> float:
        return self.events / self.wall

    @property
    def cpu(self) -> float:
        """Milliseconds of processor time per event, server and database together."""
        return (self.cpu_server + self.cpu_database) / self.events

    def ms(self, share: float) -> float:
        return quantile(self.each, share) * 1000


def quantile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def together(port: int, per_client: list[list[bytes]]) -> Timing:
    """Each client sends its own requests one after the other, all clients at once. Raises Refused for any non-200."""
    timing = Timing()

    async def client(requests: list[bytes]) -> None:
        connection = Connection(port)
        for raw in requests:
            start = time.perf_counter()
            status, body = await connection.send(raw)
            timing.each.append(time.perf_counter() - start)
            if status != 200:
                raise Refused(f"{status}: {body[:500]!r}")
        connection.close()

    start = time.perf_counter()
    await asyncio.gather(*(client(requests) for requests in per_client))
    timing.wall = time.perf_counter() - start
    return timing


async def until_done(
    port: int, raw: bytes, *, pause: float = 0.05, connect: Callable[[int], Connection] = Connection
) -> bytes:
    """Send until the answer is 200, whatever breaks meanwhile: what a client with a spool does."""
    connection = connect(port)
    while True:
        try:
            status, body = await connection.send(raw)
        except (OSError, EOFError):
            await asyncio.sleep(pause)
            continue
        if status == 200:
            connection.close()
            return body
        if status < 500 and status != 429:
            raise Refused(f"{status}: {body[:500]!r}")
        await asyncio.sleep(pause)


Job = Callable[[], Awaitable[None]]
