"""Processor time of whole process trees, from /proc: what a busy machine cannot blur as it blurs the clock."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable

_TICK = 1000 / os.sysconf("SC_CLK_TCK")


def cpu_ms(roots: Iterable[int]) -> float:
    """Milliseconds of user and system time of these processes, their living descendants and those they outlived."""
    stats = _stats()
    children = defaultdict(list)
    for pid, (parent, _, _) in stats.items():
        children[parent].append(pid)
    total, todo = 0.0, [pid for pid in roots if pid in stats]
    while todo:
        pid = todo.pop()
        _, own, outlived = stats[pid]
        total += own + outlived
        todo += children[pid]
    return total * _TICK


def _stats() -> dict[int, tuple[int, int, int]]:
    """(parent, own ticks, ticks of ended children) by process."""
    stats = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            stats[int(name)] = (int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14]))
    return stats
