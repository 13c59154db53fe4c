"""HTTP/1.1 to a Stash server: a few hundred lines less to load than the standard library's own client.

No redirect is ever followed: a key is never carried to another address. What may safely be repeated is tried again
after a break, with jitter; everything else is the caller's to repeat.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from stash_client import __version__
from stash_client.api.addresses import Address, address_of
from stash_client.api.connection import Gone, Line, open_line, proxy_headers
from stash_client.api.errors import Refused, Unreachable

if TYPE_CHECKING:
    from stash_client.events import JSON

_PACK_ABOVE = 2048
_MOST_HEADERS = 200
MOST_BYTES = 64 * 1024 * 1024
"""Of one answer that is kept in memory; longer ones are streamed."""
IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE", "PATCH"})
"""PATCH too: what our servers take sets values, and setting them twice is setting them once."""
TRIES = 3
_FIRST_BREAK, _LONGEST_BREAK = 0.3, 10.0


@dataclass(frozen=True)
class Request:
    """``body``: already in the form it is sent in. ``headers``: beside those that every request has."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Optional[bytes] = None


@dataclass(frozen=True)
class Answer:
    """``headers``: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    def json(self) -> Any:
        """The document, None when it is none."""
        try:
            return json.loads(self.body or b"null")
        except (ValueError, RecursionError):
            return None

    def object(self) -> dict[str, Any]:
        found = self.json()
        return found if isinstance(found, dict) else {}


class Transport:
    """Keeps the connection to the last host for the next call. For one thread at a time; ``close`` when done."""

    def __init__(self) -> None:
        self._kept: Optional[tuple[tuple[str, str, int], Line, Optional[Address]]] = None

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if self._kept:
            self._kept[1].close()
            self._kept = None

    def send(self, request: Request, *, seconds: float = 20, tries: int = TRIES) -> Answer:
        """The answer whole, whatever its status below 300. ``seconds``: for all tries together.

        Raises Unreachable or Refused.
        """
        until = time.monotonic() + seconds
        left = tries if request.method in IDEMPOTENT else 1
        wait = _FIRST_BREAK
        while True:
            left -= 1
            try:
                with self.stream(request, until=until) as (status, headers, pieces):
                    return Answer(status, headers, _whole(pieces))
            except Unreachable as trouble:
                pause = trouble.after or jittered(wait)
                if not left or time.monotonic() + pause >= until:
                    raise
            time.sleep(pause)
            wait = min(wait * 2, _LONGEST_BREAK)

    @contextmanager
    def stream(self, request: Request, *, until: float) -> Iterator[tuple[int, dict[str, str], Iterator[bytes]]]:
        """(status, headers, pieces of the unpacked body). Raises Unreachable or Refused, also while it is read."""
        try:
            line, status, headers = self._asked(request, until)
        except (OSError, Gone) as error:
            raise Unreachable(_said(error)) from None
        pieces = _Body(line, request.method, status, headers)
        try:
            if status == 429 or status >= 500:
                raise Unreachable(f"the server answered {status}", after=_seconds(headers.get("retry-after", "")))
            if status >= 300 and status != 304:
                raise Refused(status, _problem(status, headers, pieces))
            yield status, headers, _told(pieces)
        finally:
            if not pieces.reusable:
                self.close()

    def _asked(self, request: Request, until: float) -> tuple[Line, int, dict[str, str]]:
        """A kept connection may have been closed meanwhile: then, before any answer, it is asked anew on another."""
        address = address_of(request.url)
        place = (address.scheme, address.host, address.port)
        if self._kept and self._kept[0] == place and request.method in IDEMPOTENT:
            try:
                return self._exchange(request, address, until)
            except (OSError, Gone) as error:
                self.close()
                if isinstance(error, Gone) and error.mid:
                    raise
        self.close()
        self._kept = (place, *open_line(address, until))
        return self._exchange(request, address, until)

    def _exchange(self, request: Request, address: Address, until: float) -> tuple[Line, int, dict[str, str]]:
        assert self._kept is not None
        _, line, proxy = self._kept
        line.until = until
        try:
            line.send(head(request, address, proxy) + (request.body or b""))
            return (line, *begun(line))
        except BaseException:
            self.close()
            raise


def jittered(seconds: float) -> float:
    """Half as long to half as long again, so that many who wait do not come back together."""
    return seconds * (0.5 + os.urandom(1)[0] / 255)


def head(request: Request, address: Address, proxy: Optional[Address]) -> bytes:
    target = f"http://{address.netloc}{address.target}" if proxy else address.target
    headers = {
        "Host": address.netloc,
        "User-Agent": f"stash-client/{__version__}",
        "Accept-Encoding": "gzip",
        "Accept": "application/json",
        **request.headers,
    }
    if request.body is not None:
        headers["Content-Length"] = str(len(request.body))
    lines = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in headers.items())
    through = proxy_headers(proxy) if proxy else ""
    return f"{request.method} {target} HTTP/1.1\r\n{lines}{through}\r\n".encode("latin-1", "replace")


def _one_line(value: str) -> str:
    """A value that would begin another header is ours to refuse, whoever gave it."""
    if "\r" in value or "\n" in value or "\0" in value:
        raise Unreachable("a header would span lines")
    return value


def begun(line: Line) -> tuple[int, dict[str, str]]:
    """Status and headers of the final answer; interim ones (1xx) are passed over."""
    while True:
        status = _status(line.line())
        headers: dict[str, str] = {}
        for _ in range(_MOST_HEADERS):
            text = line.line().decode("latin-1")
            if not text:
                break
            name, _, value = text.partition(":")
            headers[name.strip().lower()] = value.strip()
        else:
            raise Unreachable("the answer has too many headers")
        if status >= 200 or status == 101:
            return status, headers


def _status(text: bytes) -> int:
    words = text.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit() or len(words[1]) != 3:
        raise Unreachable("the answer is not HTTP")
    return int(words[1])


class _Body:
    """The pieces of an answer, unpacked. ``reusable``: read to its end, and the connection stays open."""

    def __init__(self, line: Line, method: str, status: int, headers: Mapping[str, str]) -> None:
        self._line, self._headers = line, headers
        self._empty = method == "HEAD" or status in (204, 304)
        self._stays = "close" not in headers.get("connection", "").lower()
        self.reusable = self._empty and self._stays

    def __iter__(self) -> Iterator[bytes]:
        if self._empty:
            return
        packed = self._headers.get("content-encoding", "").lower()
        if packed not in ("gzip", "x-gzip", "", "identity"):
            raise Unreachable(f"the answer is packed as {packed[:20]}")
        yield from _unpacked(self._raw()) if packed.endswith("gzip") else self._raw()

    def _raw(self) -> Iterator[bytes]:
        length = self._headers.get("content-length", "")
        if "chunked" in self._headers.get("transfer-encoding", "").lower():
            yield from self._chunks()
        elif length:
            if not length.isdigit():
                raise Unreachable("the answer is not HTTP")
            yield from self._counted(int(length))
        else:
            self._stays = False
            while piece := self._line.some(64 * 1024):
                yield piece
        self.reusable = self._stays

    def _counted(self, left: int) -> Iterator[bytes]:
        while left:
            piece = self._line.some(min(left, 64 * 1024))
            if not piece:
                raise Gone(mid=True)
            left -= len(piece)
            yield piece

    def _chunks(self) -> Iterator[bytes]:
        while True:
            try:
                size = int(self._line.line().partition(b";")[0], 16)
            except ValueError:
                raise Unreachable("the answer is not HTTP") from None
            if not size:
                break
            yield from self._counted(size)
            self._line.line()
        while self._line.line():
            pass


def _told(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same, with what breaks while it is read in our words; what breaks at the reader's stays the reader's."""
    try:
        yield from pieces
    except (OSError, Gone) as error:
        raise Unreachable(_said(error)) from None


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    import zlib

    machine = zlib.decompressobj(31)
    try:
        for piece in pieces:
            while piece:
                yield machine.decompress(piece, 1024 * 1024)
                piece = machine.unconsumed_tail
        yield machine.flush()
    except zlib.error:
        raise Unreachable("the answer is packed wrongly") from None
    if not machine.eof:
        raise Gone(mid=True)


def _whole(pieces: Iterator[bytes]) -> bytes:
    found, size = [], 0
    for piece in pieces:
        size += len(piece)
        if size > MOST_BYTES:
            raise Unreachable(f"the answer is longer than {MOST_BYTES >> 20} MiB")
        found.append(piece)
    return b"".join(found)


def _problem(status: int, headers: Mapping[str, str], pieces: _Body) -> dict[str, Any]:
    try:
        problem = Answer(status, headers, _whole(iter(pieces))).object()
    except (OSError, Gone, Unreachable):
        return {}
    if 300 <= status < 400 and not problem.get("detail"):
        problem["detail"] = f"The server sends on to {headers.get('location', 'nowhere')[:200]}; use that address."
    return problem


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def _seconds(text: str) -> float:
    """``Retry-After`` as a number; a date there is as good as nothing."""
    return float(text) if text.isdigit() and len(text) < 7 else 0.0


def json_request(
    method: str, url: str, body: JSON = None, *, key: Optional[str] = None, etag: Optional[str] = None
) -> Request:
    """A request in the form of the contract; large bodies are packed."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if etag:
        headers["If-None-Match"] = etag
    data = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body, ensure_ascii=True).encode()
        if len(data) > _PACK_ABOVE:
            data, headers["Content-Encoding"] = _packed(data), "gzip"
    return Request(method, url, headers, data)


def _packed(data: bytes) -> bytes:
    import zlib

    machine = zlib.compressobj(5, zlib.DEFLATED, 31)
    return machine.compress(data) + machine.flush()
