"""HTTP to a Stash server, on the standard library's client.

No redirect is ever followed: a key is never carried to another address. What may safely be repeated is tried again
after a break, with jitter; everything else is the caller's to repeat.
"""

from __future__ import annotations

import http.client
import json
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from stash_client import __version__
from stash_client.api.connection import FAULTS, Connection, parts_of
from stash_client.api.errors import Refused, Unreachable

if TYPE_CHECKING:
    from stash_client.events import JSON

_PACK_ABOVE = 2048
_PIECE = 64 * 1024
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
        self._kept: Optional[Connection] = None

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if self._kept:
            self._kept.close()
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
        whole = False
        try:
            connection, response = self._asked(request, until)
        except FAULTS as fault:
            raise Unreachable(said(fault)) from None
        headers = {name.lower(): value for name, value in response.getheaders()}
        try:
            with connection.until(until):
                _check(response, headers)
                yield response.status, headers, _told(_unpacked(response, headers))
                whole = response.isclosed() and not response.will_close
        finally:
            if not whole:
                self.close()

    def _asked(self, request: Request, until: float) -> tuple[Connection, http.client.HTTPResponse]:
        """A kept connection may have been closed meanwhile: then, before any answer, it is asked anew on another."""
        address = parts_of(request.url)
        kept, self._kept = self._kept, None
        if kept and kept.place == (address.scheme, address.netloc) and request.method in IDEMPOTENT:
            try:
                return self._exchange(kept, request, until)
            except (ConnectionError, http.client.BadStatusLine):
                pass
        elif kept:
            kept.close()
        return self._exchange(Connection(request.url, until - time.monotonic()), request, until)

    def _exchange(
        self, connection: Connection, request: Request, until: float
    ) -> tuple[Connection, http.client.HTTPResponse]:
        try:
            with connection.until(until):
                response = connection.ask(request.method, request.url, _headers(request), request.body)
        except BaseException:
            connection.close()
            raise
        self._kept = connection
        return connection, response


def jittered(seconds: float) -> float:
    """Half as long to half as long again, so that many who wait do not come back together."""
    return seconds * (0.5 + os.urandom(1)[0] / 255)


def _headers(request: Request) -> dict[str, str]:
    usual = {"User-Agent": f"stash-client/{__version__}", "Accept-Encoding": "gzip", "Accept": "application/json"}
    return {**usual, **request.headers}


def _check(response: http.client.HTTPResponse, headers: Mapping[str, str]) -> None:
    status = response.status
    if status == 429 or status >= 500:
        raise Unreachable(f"the server answered {status}", after=_seconds(headers.get("retry-after", "")))
    if status >= 300 and status != 304:
        raise Refused(status, _problem(response, headers))


def _told(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same, with what breaks while it is read in our words; what breaks at the reader's stays the reader's."""
    try:
        yield from pieces
    except FAULTS as fault:
        raise Unreachable(said(fault)) from None


def _raw(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while piece := response.read(_PIECE):
        yield piece
    if response.length:
        raise Unreachable("the connection was closed in the middle of the answer")


def _unpacked(response: http.client.HTTPResponse, headers: Mapping[str, str]) -> Iterator[bytes]:
    packed = headers.get("content-encoding", "").lower()
    if packed in ("", "identity"):
        yield from _raw(response)
        return
    if packed not in ("gzip", "x-gzip"):
        raise Unreachable(f"the answer is packed as {packed[:20]}")
    machine = zlib.decompressobj(31)
    try:
        for piece in _raw(response):
            while piece:
                yield machine.decompress(piece, 1024 * 1024)
                piece = machine.unconsumed_tail
        yield machine.flush()
    except zlib.error:
        raise Unreachable("the answer is packed wrongly") from None
    if not machine.eof:
        raise Unreachable("the connection was closed in the middle of the answer")


def _whole(pieces: Iterator[bytes]) -> bytes:
    found, size = [], 0
    for piece in pieces:
        size += len(piece)
        if size > MOST_BYTES:
            raise Unreachable(f"the answer is longer than {MOST_BYTES >> 20} MiB")
        found.append(piece)
    return b"".join(found)


def _problem(response: http.client.HTTPResponse, headers: Mapping[str, str]) -> dict[str, Any]:
    try:
        problem = Answer(response.status, headers, _whole(_unpacked(response, headers))).object()
    except (*FAULTS, Unreachable):
        return {}
    if 300 <= response.status < 400 and not problem.get("detail"):
        problem["detail"] = f"The server sends on to {headers.get('location', 'nowhere')[:200]}; use that address."
    return problem


def said(fault: Exception) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    if isinstance(fault, http.client.RemoteDisconnected):
        return "the connection was closed"
    if isinstance(fault, http.client.HTTPException):
        return "the answer is not HTTP"
    return str(fault) or type(fault).__name__


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
    machine = zlib.compressobj(5, zlib.DEFLATED, 31)
    return machine.compress(data) + machine.flush()
