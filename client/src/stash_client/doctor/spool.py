"""What waits, and why."""

from __future__ import annotations

import time
from collections.abc import Iterator

from stash_client import sender, waking
from stash_client.doctor.findings import NOTE, Check, Finding
from stash_client.standing import Spool, Standing

_INBOX_SECONDS = 60
_BACKLOG_SECONDS = 300


def inbox(now: Standing) -> Iterator[Finding]:
    """A sender empties it at once, online or not."""
    age = time.time() - now.oldest_record if now.records else 0
    if age < _INBOX_SECONDS:
        return

    def mend() -> str:
        waking.heal()
        return f"Sent what could be sent: {sender.drain(seconds=30)} events."

    what = "What agents told is not being worked on: no sender runs."
    yield Finding("no_sender", what, f"{now.records} wait for {_span(age)}", "stash doctor --fix", mend=mend)


def backlog(now: Standing) -> Iterator[Finding]:
    for spool in now.spools:
        yield from _of(spool)
    if now.dropped:
        lost = ", ".join(f"{count} {what}" for what, count in sorted(now.dropped.items()))
        fix = "A server that answers empties it; STASH_OUTBOX_MIB makes it larger."
        yield Finding("spool_full", "The spool was full, and something was left out.", lost, fix, weight=NOTE)


def _of(spool: Spool) -> Iterator[Finding]:
    if spool.state.paused:
        why = spool.state.detail or spool.state.paused
        yield Finding("key_refused", f"{spool.server} takes nothing with this key.", why, "stash signin")
    elif spool.waiting and time.time() - spool.oldest > _BACKLOG_SECONDS:
        evidence = f"{spool.waiting} events wait, the oldest for {_span(time.time() - spool.oldest)}"
        evidence += f"; {spool.state.error}" if spool.state.error else ""

        def mend() -> str:
            return f"Tried again: {sender.drain(seconds=30)} events went."

        fix = "stash doctor --fix tries again now"
        yield Finding("backlog", f"Events wait for {spool.server}.", evidence, fix, mend=mend)
    if spool.parked:
        what = f"{spool.server} has no agreement of yours for {spool.parked} events; they are kept."
        yield Finding("parked", what, fix="stash connect in their repository sends them, stash forget removes them.")
    if spool.refused:
        what = f"{spool.server} will not take {spool.refused} events."
        yield Finding("refused", what, fix="stash spool shows them and why.", weight=NOTE)


def _span(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


CHECKS: tuple[Check, ...] = (inbox, backlog)
