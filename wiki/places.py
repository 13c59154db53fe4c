"""Where the repository of a project is, and who may change it at one time."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import connection

from stash.gitstore.store import Store

_LOCK = 0x5749_4B49_0000_0000


def store_of(project_id: UUID) -> Store:
    return Store(Path(settings.WIKI_DIR, project_id.hex[-2:], f"{project_id}.git"))


@contextmanager
def only_writer(project_id: UUID) -> Iterator[Store]:
    """Wait until nobody else writes this wiki; the lock ends with the block, the connection or the process."""
    store = store_of(project_id)
    with _locked(project_id, store):
        store.ensure()
        store.sweep_locks()
        yield store


@contextmanager
def _locked(project_id: UUID, store: Store) -> Iterator[None]:
    if connection.vendor == "postgresql":
        number = (_LOCK ^ (project_id.int & 0xFFFF_FFFF_FFFF_FFFF)) - (1 << 63)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [number])
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
        return
    store.path.parent.mkdir(parents=True, exist_ok=True)
    with store.path.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
