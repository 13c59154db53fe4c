"""What waits on this machine, counted for people: by server, and in it by session."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from stash_client import home, inbox, waking
from stash_client.outbox import Box, Frame, Outbox, Queue
from stash_client.outbox.overflow import dropped_so_far
from stash_client.sender.state import State, read


@dataclass
class Waiting:
    """``bytes``: in the outbox. ``oldest``, ``newest``: RFC 3339, "" where nothing waits."""

    events: int = 0
    bytes: int = 0
    oldest: str = ""
    newest: str = ""

    def add(self, frame: Frame, size: int) -> None:
        self.events += 1
        self.bytes += size
        self.oldest = min(filter(None, (self.oldest, frame.at)), default="")
        self.newest = max(self.newest, frame.at)


@dataclass
class OfSession(Waiting):
    harness: str = ""
    native_id: str = ""
    place: str = ""
    parked: bool = False


@dataclass
class OfServer:
    """``refused``: how many of each reason."""

    server: str
    waiting: Waiting = field(default_factory=Waiting)
    parked: Waiting = field(default_factory=Waiting)
    refused: dict[str, int] = field(default_factory=dict)
    sessions: list[OfSession] = field(default_factory=list)
    state: State = field(default_factory=State)


@dataclass
class Spooled:
    """``records``: of hooks, not yet read. ``dropped``: since ever, for want of room. ``sender``: pid, or None.

    ``fault``: what last went wrong in a hook or sender.
    """

    records: int
    record_bytes: int
    servers: list[OfServer]
    dropped: dict[str, int]
    size: int
    most_bytes: int
    sender: Optional[int]
    fault: str


def spooled() -> Spooled:
    outbox = Outbox()
    sizes = list(_sizes(inbox.records()))
    return Spooled(
        records=len(sizes),
        record_bytes=sum(sizes),
        servers=[_of_server(box) for box in outbox.boxes.values()],
        dropped=dropped_so_far(outbox.folder / "dropped.json"),
        size=outbox.size,
        most_bytes=outbox.most_bytes,
        sender=waking.told_pid() if waking.alive() else None,
        fault=_fault(),
    )


def oldest(most: int) -> list[Frame]:
    """What would be sent next, of all servers, oldest first."""
    frames: list[Frame] = []
    for box in Outbox().boxes.values():
        for number, frame in enumerate(box.queue.look()):
            if number == most:
                break
            frames.append(frame)
    return sorted(frames, key=lambda frame: frame.at)[:most]


def _of_server(box: Box) -> OfServer:
    told = OfServer(box.server, state=read(box.folder))
    sessions: dict[tuple[str, str, bool], OfSession] = {}
    for queue, sum_of, parked in ((box.queue, told.waiting, False), (box.parked, told.parked, True)):
        _count(queue, sum_of, parked, sessions)
    for _, _, problem in box.refused:
        why = str(problem.get("code") or problem.get("status") or "refused")
        told.refused[why] = told.refused.get(why, 0) + 1
    told.sessions = sorted(sessions.values(), key=lambda one: one.oldest)
    return told


def _count(queue: Queue, sum_of: Waiting, parked: bool, sessions: dict[tuple[str, str, bool], OfSession]) -> None:
    for entry in queue.entries():
        harness, native_id = entry.frame.key
        new = OfSession(harness=harness, native_id=native_id, place=entry.frame.place, parked=parked)
        sessions.setdefault((harness, native_id, parked), new).add(entry.frame, entry.size)
        sum_of.add(entry.frame, entry.size)


def _sizes(paths: Iterable[Path]) -> Iterable[int]:
    for path in paths:
        try:
            yield os.stat(path).st_size
        except OSError:  # taken meanwhile
            continue


def _fault() -> str:
    try:
        return (home.folder() / "fault.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
