"""Looking for what is wrong on this machine. A check is a function from how things stand to what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stash_client import standing
from stash_client.doctor import agents, capture, machine, server, spool
from stash_client.doctor.findings import NOTE, TROUBLE, Check, Finding

__all__ = ["CHECKS", "NOTE", "TROUBLE", "Check", "Finding", "examine"]

CHECKS: Sequence[Check] = (*machine.CHECKS, *server.CHECKS, *agents.CHECKS, *capture.CHECKS, *spool.CHECKS)


def examine(checks: Sequence[Check] = CHECKS) -> Iterator[Finding]:
    """Of this machine and the folder one stands in. One check that breaks costs only itself, and says so.

    Where nothing can be kept there is nothing else to look into.
    """
    if blocked := list(machine.writable()):
        yield from blocked
        return
    now = standing.here()
    for check in checks:
        try:
            yield from check(now)
        except Exception as fault:
            name = f"{check.__module__.rpartition('.')[2]}.{check.__name__}"
            yield Finding("check_failed", "A check could not be made.", f"{name}: {type(fault).__name__}: {fault}")
