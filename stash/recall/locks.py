"""One indexer and one reader for meaning for an installation, however many machines start one."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

_NUMBER = 0x5354_4153_4801
INDEXING, EMBEDDING = "index", "embed"
_NUMBERS = {INDEXING: _NUMBER, EMBEDDING: _NUMBER + 1}


@contextmanager
def only_one(work: str = INDEXING) -> Iterator[bool]:
    """Whether this process is the one, for as long as the block lasts; held by the connection or the open file."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_NUMBERS[work]])
            won = bool(cursor.fetchone()[0])
            try:
                yield won
            finally:
                if won:
                    cursor.execute("SELECT pg_advisory_unlock(%s)", [_NUMBERS[work]])
        return
    with Path(settings.DATA_DIR, f"{work}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
