"""Frames of a window as requests: one session each, in order, within what the server takes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from stash_client import recent
from stash_client.events import JSON
from stash_client.outbox import Entry

MOST_EVENTS = 500
MOST_BYTES = 4 * 1024 * 1024
"""Before packing; the server takes twice that packed. One frame may be larger and then goes alone."""
_DECIDING = ("project", "policy", "visibility", "checkout")
"""What must not be taken from another moment of the session."""
_ACTIVITY_SECONDS = 120


@dataclass
class Batch:
    entries: list[Entry]
    session: dict[str, JSON] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        return {
            "sent_at": datetime.now(timezone.utc).isoformat(),
            "session": self._block(),
            "events": [entry.frame.event for entry in self.entries],
        }

    def _block(self) -> dict[str, JSON]:
        """What waits obeys what its person said since it was captured."""
        harness, native_id = self.entries[0].frame.key
        asked = self.session.get("visibility")
        wanted = recent.visibility(harness, native_id, asked if isinstance(asked, str) else None)
        return {
            **{k: v for k, v in self.session.items() if k != "visibility"},
            **({"visibility": wanted} if wanted else {}),
        }

    def halves(self) -> tuple[Batch, Batch]:
        middle = len(self.entries) // 2
        return Batch(self.entries[:middle], self.session), Batch(self.entries[middle:], self.session)

    @property
    def size(self) -> int:
        return sum(entry.size for entry in self.entries)

    def takes(self, entry: Entry) -> bool:
        fits = len(self.entries) < MOST_EVENTS and self.size + entry.size <= MOST_BYTES
        return fits and _deciding(self.session) == _deciding(entry.frame.session)

    def add(self, entry: Entry) -> None:
        """Later blocks know more; what they do not say is not taken back."""
        self.entries.append(entry)
        self.session = {**self.session, **entry.frame.session}


def batches(entries: Sequence[Entry]) -> list[Batch]:
    """By their first frame; within a session in order."""
    made: list[Batch] = []
    open_ones: dict[tuple[str, str], Batch] = {}
    for entry in entries:
        batch = open_ones.get(entry.frame.key)
        if batch is None or not batch.takes(entry):
            batch = open_ones[entry.frame.key] = Batch([])
            made.append(batch)
        batch.add(entry)
    return made


def is_stale(entry: Entry) -> bool:
    """What a tool was doing minutes ago is of no use to anybody: it would not be stored."""
    if entry.frame.kind != "activity":
        return False
    return time.time() - float(entry.frame.event.get("n", 0)) / 1e9 > _ACTIVITY_SECONDS


def _deciding(session: Mapping[str, JSON]) -> list[JSON]:
    return [session.get(name) for name in _DECIDING]
