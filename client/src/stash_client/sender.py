"""Empties the inbox: parse, make clean, send, delete. One sender at a time on a machine; safe to kill anywhere.

Delivery ids come from the record's name, so a record sent twice is stored once.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from stash_client import __version__, accounts, api, home, inbox, waking
from stash_client.accounts import Account
from stash_client.checkout import Checkout, checkout_of
from stash_client.events import Batch, ProjectRef, to_wire
from stash_client.harnesses import parse_hook
from stash_client.ids import hook_uid
from stash_client.privacy import scrub

try:
    import fcntl
except ImportError:  # Windows: two senders at once are harmless there too, only wasteful
    fcntl = None  # type: ignore[assignment]


_NEVER = (400, 409, 413, 415, 422)
"""What a body can be refused for that the same body will be refused for again."""


def main() -> None:
    """What a hook starts."""
    waking.arrived()
    try:
        drain()
    finally:
        waking.leaving()


def drain_place(place: str, *, seconds: float) -> int:
    return drain(seconds=seconds)


def drain(*, seconds: float = float("inf")) -> int:
    """Send what waits; returns how many records are done. Stops at the first that cannot be sent now.

    Looks again after letting go of the lock: a hook that came meanwhile found it taken and sent nothing itself.
    """
    done = 0
    while True:
        with _alone() as alone:
            sent, stopped = _empty() if alone else (0, True)
        done += sent
        if stopped or not any(inbox.records()):
            return done


def _empty() -> tuple[int, bool]:
    """(how many records are done, whether it had to stop before the end)."""
    account, done = accounts.load().main, 0
    if account is None:
        return 0, True
    for record in inbox.records():
        try:
            if not _deliver(record, account):
                return done, True
        except Exception:
            # What we cannot read is kept out of the way of what we can.
            inbox.set_aside(record, traceback.format_exc())
            if os.path.lexists(record):
                return done, True
            continue
        record.unlink(missing_ok=True)
        done += 1
    return done, False


def _deliver(record: Path, account: Account) -> bool:
    """True when the server has it, or will never take it (a repository nobody connected is not captured)."""
    try:
        for body in bodies(record, account):
            api.post(f"{account.url}/api/v1/events", body, key=account.key)
    except api.Unreachable:
        return False
    except api.Refused as refusal:
        # Only Stash itself may say that this will never do: a proxy, a moved server or another site may not.
        return refusal.is_ours and refusal.status in _NEVER
    return True


def bodies(record: Path, account: Account) -> Iterator[dict[str, Any]]:
    """The requests one record makes, in the form of the contract, clean."""
    try:
        raw = inbox.read(record)
    except ValueError:
        return
    captured = raw.mtime_ns
    at = datetime.fromtimestamp(captured / 1e9, timezone.utc).isoformat()
    index = 0
    for batch in parse_hook(raw.harness, raw.payload, event=raw.event, occurred_at=at, n=captured):
        events = []
        for item in batch.events:
            events.append(replace(item, uid=hook_uid(account.machine, raw.key, index)))
            index += 1
        yield _body(Batch(_with_checkout(batch, account), tuple(events)))


def _with_checkout(batch: Batch, account: Account) -> Any:
    info = batch.session
    where = checkout_of(info.cwd, account.machine) if info.cwd and os.path.isdir(info.cwd) else Checkout(())
    return replace(
        info,
        project=ProjectRef(where.identities, where.name),
        branch=info.branch or where.branch,
        commit=info.commit or where.commit,
        machine=account.machine_name,
        client_version=__version__,
    )


def _body(batch: Batch) -> dict[str, Any]:
    return {
        "sent_at": datetime.now(timezone.utc).isoformat(),
        "session": to_wire(scrub(batch.session).value),
        "events": [to_wire(scrub(event).value) for event in batch.events],
    }


@contextmanager
def _alone() -> Iterator[bool]:
    """Whether this is the only sender on the machine; the lock goes with the process, however it ends."""
    path = home.made() / "sender.lock"
    with path.open("a") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
                return
        yield True
