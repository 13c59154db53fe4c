"""What must be true for this installation to do its work."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from django_q.models import OrmQ

from stash import client_wheel
from stash.ops.prepare import unapplied
from stash.search.selectors import backlog

Fact = int | float | str | None


@dataclass(frozen=True)
class Finding:
    ok: bool
    facts: dict[str, Fact] = field(default_factory=dict)


def findings() -> dict[str, Finding]:
    """Every check by name; one that cannot ask the database has failed."""
    return {name: _asked(check) for name, check in CHECKS.items()}


def _asked(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except (DatabaseError, OSError) as error:
        return Finding(False, {"error": type(error).__name__})


def database() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return Finding(True)


def migrations() -> Finding:
    missing = len(unapplied())
    return Finding(missing == 0, {"missing": missing})


def queue() -> Finding:
    """How long the oldest task that is due has been waiting; a task being worked on has its lock in the future."""
    oldest = OrmQ.objects.filter(lock__lt=timezone.now()).order_by("lock").values_list("lock", flat=True).first()
    seconds = round((timezone.now() - oldest).total_seconds(), 1) if oldest else 0
    return Finding(seconds <= settings.READY_QUEUE_SECONDS, {"oldest_seconds": seconds})


def search() -> Finding:
    """How long what is new has been waiting for the index, and how much waits."""
    behind = backlog()
    facts: dict[str, Fact] = {"waiting": behind.waiting, "oldest_seconds": behind.oldest_seconds}
    facts |= {"segments": behind.segments, "unreadable": behind.unreadable}
    return Finding(behind.oldest_seconds <= settings.READY_QUEUE_SECONDS, facts)


def disk() -> Finding:
    free = shutil.disk_usage(settings.DATA_DIR).free // 2**20
    return Finding(free >= settings.READY_DISK_MB, {"free_mb": free})


def client() -> Finding:
    """What /install hands out."""
    wheel = client_wheel.current()
    return Finding(wheel is not None, {"version": wheel.version if wheel else None})


CHECKS: dict[str, Callable[[], Finding]] = {
    "database": database,
    "migrations": migrations,
    "queue": queue,
    "search": search,
    "disk": disk,
    "client": client,
}
