"""Which sessions ran on this machine lately: ``recent.json``, kept by the sender, read by the commands about a session.

Also which of them their person made private: one empty file each in ``private/``, so that a hook may look as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from stash_client import home

MOST = 300
OURS = "stash"
"""In place of an agent where Stash itself tried whether an event arrives."""
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Recent:
    """``place``, ``root``: see ``checkout.Checkout``; ``server``: label. ``first_at``, ``last_at``: of its events.

    ``session``, ``url``: the server's, "" before it has answered. ``parent``: native id above a subagent's.
    """

    harness: str
    native_id: str
    place: str = ""
    root: str = ""
    server: str = ""
    first_at: str = ""
    last_at: str = ""
    parent: str = ""
    session: str = ""
    url: str = ""

    @property
    def key(self) -> str:
        return key_of(self.harness, self.native_id)


def key_of(harness: str, native_id: str) -> str:
    """One word for a session of this machine, fit to be a file name."""
    return f"{harness}-{hashlib.sha256(native_id.encode('utf-8', 'replace')).hexdigest()[:24]}"


def path() -> Path:
    return home.folder() / "recent.json"


def all_recent() -> list[Recent]:
    """Newest first."""
    try:
        said = json.loads(path().read_text(encoding="utf-8"))
        return sorted((Recent(**one) for one in said), key=lambda one: one.last_at, reverse=True)
    except (OSError, ValueError, TypeError):
        return []


def latest(place: Optional[str] = None) -> Optional[Recent]:
    """The agent's session with the newest event, at ``place`` or anywhere; a subagent's counts as its parent's."""
    here = [one for one in all_recent() if place is None or one.place == place]
    return next((one for one in here if not one.parent and one.harness != OURS), None)


def note(seen: Iterable[Recent]) -> None:
    """Add what is new about these sessions: later times win, what is "" erases nothing. Only the sender writes.

    A list that cannot be written is written with the next event.
    """
    with _one_at_a_time:
        new: dict[tuple[str, str], Recent] = {}
        for one in seen:
            of_session = one.harness, one.native_id
            new[of_session] = _merged(new.get(of_session), one)
        known = {one.key: one for one in all_recent()}
        for one in new.values():
            known[one.key] = _merged(known.get(one.key), one)
        newest = sorted(known.values(), key=lambda one: one.last_at, reverse=True)[:MOST]
        with contextlib.suppress(OSError):
            home.write_private(path(), json.dumps([vars(one) for one in newest]).encode())


def _merged(old: Optional[Recent], new: Recent) -> Recent:
    if old is None:
        return new
    told = {name: value for name, value in vars(new).items() if value}
    merged = replace(old, **told)
    firsts = [at for at in (old.first_at, new.first_at) if at]
    return replace(merged, first_at=min(firsts, default=""), last_at=max(old.last_at, new.last_at))


def private_folder() -> Path:
    return home.folder() / "private"


def _shared_folder() -> Path:
    return home.folder() / "shared"


def make_private(harness: str, native_id: str) -> None:
    """Events of this session are for its person alone from now on. Raises OSError."""
    key = key_of(harness, native_id)
    home.write_private(private_folder() / key, b"")
    (_shared_folder() / key).unlink(missing_ok=True)


def share(harness: str, native_id: str) -> None:
    """Its project may see this session, also where new ones are private. Raises OSError."""
    key = key_of(harness, native_id)
    home.write_private(_shared_folder() / key, b"")
    (private_folder() / key).unlink(missing_ok=True)


def is_private(harness: str, native_id: str) -> bool:
    """A subagent is as private as its parent."""
    return _is_in(private_folder(), harness, native_id)


def visibility(harness: str, native_id: str, asked: Optional[str]) -> Optional[str]:
    """What to ask a server for: the person's word about this session, else ``asked`` when its event was captured."""
    if is_private(harness, native_id):
        return "private"
    return None if asked and _is_in(_shared_folder(), harness, native_id) else asked


def _is_in(folder: Path, harness: str, native_id: str) -> bool:
    return is_one_of(_names(folder), harness, native_id)


def private_keys() -> frozenset[str]:
    return _names(private_folder())


def _names(folder: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def is_one_of(keys: frozenset[str], harness: str, native_id: str) -> bool:
    """Whether the session, or one above it, is among these."""
    if not keys:
        return False
    parts = native_id.split("/")
    return any(key_of(harness, "/".join(parts[: i + 1])) in keys for i in range(len(parts)))
