"""Reading an agent's own SQLite file without ever writing to it or making the agent wait.

Not imported by hooks: loading sqlite3 takes longer than all they do.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Optional

from stash_client.events import JSON
from stash_client.harnesses.reading import Empty, Unreadable, decode

_BUSY_SECONDS = 1.0
Row = Mapping[str, Any]


@contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """The database, read-only; where it is locked or its log cannot be read in place, a copy of it.

    Texts come as bytes: what is no UTF-8 must not end the reading. Raises sqlite3.Error or OSError.
    """
    try:
        database = _readable(Path(path))
    except sqlite3.OperationalError:
        with tempfile.TemporaryDirectory() as folder, closing(_readable(_copied(path, folder))) as copy:
            yield copy
        return
    with closing(database):
        yield database


def _readable(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
    database.text_factory = bytes
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _copied(path: str, folder: str) -> Path:
    """The file and its write-ahead log; the index beside them is made anew from the log."""
    copy = Path(folder) / "copy.db"
    shutil.copyfile(path, copy)
    if os.path.exists(f"{path}-wal"):
        shutil.copyfile(f"{path}-wal", f"{copy}-wal")
    return copy


def rows(database: sqlite3.Connection, table: str, where: str = "", values: Sequence[object] = ()) -> Iterator[Row]:
    """The rows of a table as mappings, one by one, whatever columns this version has."""
    cursor = database.execute(f'SELECT * FROM "{table}" {where}', tuple(values))  # noqa: S608 names are ours
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield {name: _text(value) for name, value in zip(names, row)}


def _text(value: object) -> object:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def has_table(database: sqlite3.Connection, table: str) -> bool:
    found = database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    return found is not None


def unpacked(value: object) -> Optional[bytes]:
    """What a Zstandard column holds; None where this Python has no means to read it (3.14 does by itself)."""
    if not isinstance(value, bytes):
        return None
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        with contextlib.suppress(Exception):
            plain: bytes = importlib.import_module(name).decompress(value)
            return plain
    return None


def json_in(value: object) -> JSON:
    """The JSON a column holds, or None."""
    if not isinstance(value, (str, bytes)):
        return None
    try:
        return decode(value.encode("utf-8", "replace") if isinstance(value, str) else value)
    except (Empty, Unreadable):
        return None
