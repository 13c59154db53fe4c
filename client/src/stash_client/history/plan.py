"""What an import would do, before it does anything: sessions by project, and those nobody agreed to."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from stash_client.checkout import Checkout, checkout_of
from stash_client.consent import Connection, Consents
from stash_client.events import SessionInfo
from stash_client.history.finding import Found, files, sessions_in
from stash_client.history.ledger import Ledger

Wanted = Callable[[SessionInfo, Checkout], bool]


@dataclass
class Folder:
    """One checkout, or one folder without git. ``connection``: None where nothing may be taken from it."""

    name: str
    place: str
    connection: Connection | None
    files: list[Found] = field(default_factory=list)
    sessions: int = 0
    size: int = 0
    done: int = 0

    def add(self, found: Found, *, done: bool) -> None:
        mine = len(found.sessions)
        self.sessions += mine
        self.done += mine if done else 0
        if not done:
            self.files.append(found)
            self.size += found.size


@dataclass(frozen=True)
class Job:
    """One file to read. ``allowed``: the places in it whose sessions may be taken, and by which consent."""

    found: Found
    allowed: dict[str, Connection]


@dataclass
class Plan:
    """``unreadable``: path and reason. ``harnesses``: name to sessions found."""

    folders: dict[str, Folder] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    harnesses: dict[str, int] = field(default_factory=dict)

    @property
    def wanted(self) -> list[Folder]:
        return [folder for folder in self.folders.values() if folder.connection is not None]

    @property
    def left_out(self) -> list[Folder]:
        return [folder for folder in self.folders.values() if folder.connection is None]

    def jobs(self) -> list[Job]:
        """Newest first: what is asked for first is what was worked on last."""
        jobs: dict[str, Job] = {}
        for folder in self.wanted:
            for found in folder.files:
                job = jobs.setdefault(found.path, Job(found, {}))
                job.allowed[folder.place] = folder.connection  # type: ignore[assignment]
        return sorted(jobs.values(), key=lambda job: -job.found.mtime_ns)


class Places:
    """Which checkout a session ran in; git is asked once for each folder."""

    def __init__(self, machine: str) -> None:
        self.of = lru_cache(maxsize=10_000)(self._of)
        self._machine = machine

    def _of(self, cwd: str) -> Checkout:
        """A worktree that is gone belongs to the repository it lay in; any other folder that is gone to itself."""
        checkout = checkout_of(cwd, self._machine)
        if checkout.is_git or os.path.isdir(cwd):
            return checkout
        above = os.path.dirname(cwd)
        while above and above != os.path.dirname(above) and not os.path.isdir(above):
            above = os.path.dirname(above)
        nearest = checkout_of(above, self._machine)
        return nearest if nearest.is_git else checkout


def scope_of(folder: str) -> Callable[[str], bool]:
    """Whether a folder is this one or lies in it: ``/work/shop`` is not in ``/work/sho``."""
    top = os.path.realpath(os.path.expanduser(folder))

    def inside(cwd: str) -> bool:
        real = os.path.realpath(cwd)
        return real == top or real.startswith(top.rstrip(os.sep) + os.sep)

    return inside


def make(
    *,
    consents: Consents,
    ledger: Ledger,
    machine: str,
    harnesses: Iterable[str] = (),
    since: float = 0,
    wanted: Wanted = lambda session, checkout: True,
    tell: Callable[[int], None] = lambda files: None,
) -> Plan:
    """Looks at every file's beginning. ``since``: seconds since 1970. ``tell``: how many files were looked at."""
    plan, places = Plan(), Places(machine)
    for count, (source, found) in enumerate(files(harnesses, since=since), 1):
        tell(count)
        try:
            found = replace(found, sessions=sessions_in(source, found.path))
        except (OSError, sqlite3.Error, ValueError) as fault:
            plan.unreadable.append((found.path, str(fault)))
            continue
        for place, part in _by_folder(found, places, consents, plan, wanted).items():
            plan.folders[place].add(part, done=ledger.has(found, place))
            plan.harnesses[found.harness] = plan.harnesses.get(found.harness, 0) + len(part.sessions)
    return plan


def _by_folder(
    found: Found,
    places: Places,
    consents: Consents,
    plan: Plan,
    wanted: Wanted,
) -> dict[str, Found]:
    """A database holds sessions of many folders; each folder gets its part of the file."""
    parts: dict[str, Found] = {}
    for session in found.sessions:
        checkout = places.of(session.cwd) if session.cwd else Checkout(())
        if not wanted(session, checkout):
            continue
        key = checkout.place
        if key not in plan.folders:
            connection = consents.for_checkout(checkout) if key else None
            plan.folders[key] = Folder(checkout.name or key or "folder unknown", key, connection)
        known = parts.get(key) or replace(found, sessions=())
        parts[key] = replace(known, sessions=(*known.sessions, session))
    return parts
