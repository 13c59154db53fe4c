"""Brings what hooks captured to the servers: one process on a machine, safe to kill anywhere.

The functions here are for hooks and commands. Where a sender runs already they let it work and watch.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Optional

from stash_client import waking

__all__ = ["Left", "drain", "drain_place", "flush", "forget", "left", "main", "retry"]

_POLL_SECONDS = 0.05
_BREAK_SECONDS = 0.5
_PATIENCE_SECONDS = 0.1
_ROUNDED = 1e-5
"""Seconds by which the time of an event, told in microseconds, may be later than that of its file."""


@dataclass(frozen=True)
class Left:
    """What waits: ``records`` of hooks, ``frames`` for servers (parked ones not counted)."""

    records: int
    frames: int

    @property
    def nothing(self) -> bool:
        return not (self.records or self.frames)


def main() -> None:
    """The sender's own process, as ``waking`` starts it."""
    import contextlib
    import os
    import traceback

    from stash_client import hookscript, inbox
    from stash_client.sender import process

    # A script cannot give it a session of its own; who ends the agent's processes would end it with them.
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()
    try:
        hookscript.write()  # an upgrade of this package may have changed it
    except Exception:
        inbox.note_fault(traceback.format_exc())
    process.main()


def left(place: Optional[str] = None) -> Left:
    """What waits now, from ``place`` or anywhere; the place of a record is not known before it is read."""
    from stash_client import inbox
    from stash_client.outbox import Outbox

    frames = sum(
        place is None or entry.frame.place == place for box in Outbox().boxes.values() for entry in box.queue.entries()
    )
    return Left(sum(1 for _ in inbox.records()), frames)


def drain(seconds: float = 60) -> int:
    """One attempt to send all that waits; returns how many events the servers took. Without waiting for another
    sender, which does the same.
    """
    return _attempt(None, time.monotonic() + seconds)


def drain_place(place: str, seconds: float) -> bool:
    """Before a session begins: empty the inbox and send what waits from ``place``; whether nothing of it is left.

    What it could not do within ``seconds`` it leaves to a sender of its own.
    """
    until = time.monotonic() + seconds
    _attempt(place, until)
    done = _watched(place, until)
    if not done:
        waking.wake()
    return done


def flush(seconds: float) -> Left:
    """Stay until all is with the servers, or ``seconds`` are over: for machines that are thrown away afterwards."""
    until = time.monotonic() + seconds
    while True:
        _attempt(None, until)
        now = left()
        if now.nothing or time.monotonic() >= until:
            return now
        time.sleep(min(_BREAK_SECONDS, max(0.0, until - time.monotonic())))


def retry(seconds: float) -> Left:
    """Try again now what was set aside, parked or paused; what is left after at most ``seconds``. Raises OSError."""
    from stash_client.sender import retrying

    until = time.monotonic() + seconds
    retrying.ask()
    _attempt(None, until)
    while retrying.wish().exists() and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    return left()


def forget(harness: str, native_id: str, *, since: Optional[datetime] = None, seconds: float = 35) -> bool:
    """Take a session's events from ``since`` on, its subagents' too, out of inbox and outbox.

    Returns whether that is done; else the sender does it as soon as it can. What is being sent this very moment counts
    as sent: ask the server to forget after this. Raises OSError.
    """
    from stash_client.outbox import Outbox
    from stash_client.sender import forgetting
    from stash_client.sender.collecting import Collector
    from stash_client.sender.lock import alone

    start = since.timestamp() if since else 0.0
    path = forgetting.ask(forgetting.Forget(harness, native_id, start, _newest(harness, native_id)))
    until = time.monotonic() + seconds
    while path.exists() and time.monotonic() < until:
        with alone() as held:
            if held:
                outbox = Outbox()
                Collector(outbox).collect()
                forgetting.obey(outbox, forgetting.asked())
                outbox.close()
        time.sleep(_POLL_SECONDS)
    return not path.exists()


def _newest(harness: str, native_id: str) -> float:
    """Now, or the time of what waits already if that is later: the clock may have been set back since."""
    from stash_client import inbox
    from stash_client.outbox import Outbox
    from stash_client.sender import forgetting

    whole = forgetting.Forget(harness, native_id, 0, float("inf"))
    frames = (frame for box in Outbox().boxes.values() for queue in box.queues for frame in queue.look())
    captured = [forgetting.seconds_of(frame) for frame in frames if whole.covers(frame)]
    return max([time.time(), *(at + _ROUNDED for at in inbox.times()), *captured])


def _attempt(place: Optional[str], until: float) -> int:
    """Be the sender for a moment, if nobody is."""
    from stash_client import inbox
    from stash_client.sender.lock import alone
    from stash_client.sender.once import send_once

    sent = 0
    while True:
        with alone(patience=_PATIENCE_SECONDS) as held:
            if not held:
                return sent
            sent += send_once(place, until)
        if not any(inbox.records()) or time.monotonic() >= until:
            return sent


def _watched(place: str, until: float) -> bool:
    """Whether what waits from ``place`` goes away in time, by whoever sends it."""
    while True:
        if not _waits(place, until):
            return True
        if time.monotonic() + _POLL_SECONDS >= until:
            return False
        time.sleep(_POLL_SECONDS)


def _waits(place: str, until: float) -> bool:
    """Whether something of ``place`` may wait; also when there is no time to look through all."""
    from stash_client import inbox
    from stash_client.outbox import Outbox

    if any(inbox.records()):
        return True
    for box in Outbox().boxes.values():
        for frame in box.queue.look():
            if frame.place == place or time.monotonic() > until:
                return True
    return False
