"""Which session files there are, and whose they are: the first records of each file say it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stash_client.events import SessionInfo
from stash_client.harnesses import HARNESSES
from stash_client.harnesses.sources import Source

_RECORDS_PEEKED = 400


@dataclass(frozen=True)
class Found:
    """One file. ``sessions``: those in it, without subagents; ``size`` in bytes, with a database's write-ahead log.

    ``source``: which of the harness's sources reads it.
    """

    harness: str
    source: int
    path: str
    size: int
    mtime_ns: int
    sessions: tuple[SessionInfo, ...] = ()

    @property
    def cwd(self) -> str:
        """The folder most of it ran in; "" where the file does not say."""
        folders = [session.cwd for session in self.sessions if session.cwd]
        return max(folders, key=folders.count, default="")


def files(harnesses: Iterable[str] = (), *, since: float = 0) -> Iterator[tuple[Source, Found]]:
    """Every session file on this machine, once, not looked into. ``since``: last change, seconds since 1970."""
    wanted, seen = frozenset(harnesses), set()
    for harness in HARNESSES.values():
        if wanted and harness.name not in wanted:
            continue
        for index, source in enumerate(harness.sources):
            for path in source.files():
                real = os.path.realpath(path)
                found = _stat(harness.name, index, path)
                if found is None or real in seen or found.mtime_ns < since * 1e9:
                    continue
                seen.add(real)
                yield source, found


def _stat(harness: str, source: int, path: str) -> Found | None:
    try:
        facts = [os.stat(name) for name in (path, f"{path}-wal") if os.path.isfile(name)]
    except OSError:
        return None
    if not facts or not facts[0].st_size:
        return None
    return Found(harness, source, path, sum(f.st_size for f in facts), max(f.st_mtime_ns for f in facts))


def sessions_in(source: Source, path: str) -> tuple[SessionInfo, ...]:
    """What the beginning of the file tells of its sessions. Raises OSError, sqlite3.Error."""
    known: dict[str, SessionInfo] = {}
    for transcript in source.read(path):
        session = transcript.peek(_RECORDS_PEEKED)
        known.setdefault(session.native_id.partition("/")[0], session)
    return tuple(known.values())
