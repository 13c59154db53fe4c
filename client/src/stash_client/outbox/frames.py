"""One clean event on its way: a line ``<crc32, 8 hex digits> <length of the JSON in bytes> <JSON>\\n``.

The JSON holds no line feed, so a reader that met damage goes on at the next line. It names the server by its label and
never holds an address, a key or text that has not passed the privacy boundary.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, NewType, Optional

from stash_client.events import JSON, Event, SessionInfo, to_wire
from stash_client.privacy import Clean

VERSION = 1


@dataclass(frozen=True)
class Frame:
    """``session``, ``event``: the wire form. ``cut``: parts were dropped for want of room after it was written."""

    server: str
    place: str
    session: Mapping[str, JSON]
    event: Mapping[str, JSON]
    cut: bool = False

    @property
    def uid(self) -> str:
        return str(self.event.get("uid", ""))

    @property
    def key(self) -> tuple[str, str]:
        """(harness, native id) of its session."""
        return str(self.session.get("harness", "")), str(self.session.get("native_id", ""))

    @property
    def kind(self) -> str:
        return str(self.event.get("kind", ""))

    @property
    def at(self) -> str:
        return str(self.event.get("occurred_at", ""))


CleanSession = NewType("CleanSession", Mapping[str, JSON])
"""The wire form of a clean session block, shared by its frames."""


def clean_session(session: Clean[SessionInfo]) -> CleanSession:
    return CleanSession(to_wire(session.value))


def frame_of(server: str, place: str, session: CleanSession, event: Clean[Event]) -> Frame:
    return Frame(server, place, session, to_wire(event.value))


def clean_frame(server: str, place: str, session: Clean[SessionInfo], event: Clean[Event]) -> Frame:
    """From an event to a frame; there is no way around the boundary."""
    return frame_of(server, place, clean_session(session), event)


def encode(frame: Frame) -> bytes:
    body: dict[str, JSON] = {"v": VERSION, "server": frame.server, "place": frame.place}
    if frame.cut:
        body["cut"] = True
    body.update(session=frame.session, event=frame.event)
    data = json.dumps(body, separators=(",", ":")).encode()
    return b"%08x %d %s\n" % (zlib.crc32(data), len(data), data)


def decode(line: bytes) -> Optional[Frame]:
    """The frame of a whole line, or None when it is damaged or of a kind this version does not know."""
    checksum, _, rest = line.partition(b" ")
    length, _, data = rest.partition(b" ")
    data = data[:-1] if data.endswith(b"\n") else b""
    if not data or length != b"%d" % len(data) or checksum != b"%08x" % zlib.crc32(data):
        return None
    try:
        body = json.loads(data)
        if body["v"] != VERSION:
            return None
        return Frame(body["server"], body["place"], body["session"], body["event"], body.get("cut", False))
    except (ValueError, KeyError, TypeError):
        return None


def scan(file: BinaryIO, start: int, end: int) -> Iterator[tuple[int, int, Optional[Frame]]]:
    """(offset, offset after it, frame) of every line in ``[start, end)``; frame None for a damaged one.

    A last line without its line feed is damage too: what wrote it was killed, and wrote it again elsewhere.
    """
    file.seek(start)
    at = start
    while at < end:
        line = file.readline(end - at)
        if not line:
            return
        yield at, at + len(line), decode(line)
        at += len(line)
