"""How this machine stands, from its own disk alone: what ``stash status`` shows and ``stash doctor`` looks into."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import datetime, timezone

from stash_client import accounts, consent, home, inbox, marker, pausing
from stash_client.accounts import Account, Accounts
from stash_client.checkout import Checkout, checkout_of
from stash_client.consent import Connection, Consents
from stash_client.marker import Marker
from stash_client.outbox import Outbox
from stash_client.outbox.overflow import dropped_so_far
from stash_client.sender import state
from stash_client.sender.state import State


@dataclass(frozen=True)
class Spool:
    """What waits for one server. ``oldest``: seconds since 1970, 0 for none. ``refused``: what it will never take."""

    server: str
    waiting: int
    parked: int
    refused: int
    oldest: float
    state: State


@dataclass(frozen=True)
class Standing:
    """``connection``: what lets the folder be captured, None for nothing. ``refused``: its person said no.

    ``records``: payloads in the inbox; ``oldest_record``: seconds since 1970. ``fault``: (when, last line).
    """

    known: Accounts
    consents: Consents
    checkout: Checkout
    connection: Connection | None
    refused: bool
    marker: Marker
    spools: tuple[Spool, ...]
    records: int
    oldest_record: float
    dropped: dict[str, int]
    paused: bool
    until: datetime | None
    fault: tuple[float, str] | None

    @property
    def account(self) -> Account | None:
        """Where the folder's sessions go."""
        return self.known.named(self.connection.server) if self.connection else None

    @property
    def waiting(self) -> int:
        return self.records + sum(spool.waiting for spool in self.spools)


def here(folder: str | None = None) -> Standing:
    """Of the folder one stands in, unless another is named."""
    known, consents = accounts.load(), consent.load()
    checkout = checkout_of(folder or os.getcwd(), known.main.machine if known.main else "")
    records = [path.stat().st_mtime for path in inbox.records() if path.exists()]
    return Standing(
        known=known,
        consents=consents,
        checkout=checkout,
        connection=consents.for_checkout(checkout),
        refused=consents.refuses(checkout),
        marker=marker.read(checkout.root or checkout.place),
        spools=tuple(_spools()),
        records=len(records),
        oldest_record=min(records, default=0),
        dropped=dropped_so_far(home.folder() / "outbox" / "dropped.json"),
        paused=pausing.is_paused(),
        until=pausing.until(),
        fault=_fault(),
    )


def _spools() -> list[Spool]:
    found = []
    for label, box in Outbox().boxes.items():
        waiting = list(box.queue.look())
        parked = sum(1 for _ in box.parked.look())
        refused = sum(1 for _ in box.refused)
        told = state.read(box.folder)
        oldest = min((_seconds(frame.at) for frame in waiting), default=0)
        if waiting or parked or refused or told != State():
            found.append(Spool(label, len(waiting), parked, refused, oldest, told))
    return found


def _seconds(text: str) -> float:
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return time.time()
    return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()


def _fault() -> tuple[float, str] | None:
    """The last thing that went wrong where nobody could be told."""
    path = home.folder() / "fault.txt"
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return path.stat().st_mtime, lines[-1][:300] if lines else ""
    except OSError:
        return None
