"""``crush.db``: sessions and their messages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from stash_client.harnesses.base import identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.crush import CRUSH, CrushReader
from stash_client.harnesses.transcripts import Transcript

_SESSIONS = "SELECT id, parent_session_id, title FROM sessions ORDER BY created_at, id"
_MESSAGES = """SELECT id, session_id, role, parts, model, created_at, is_summary_message FROM messages
    WHERE session_id = ? ORDER BY created_at, rowid"""


def read_database(path: str) -> Iterator[Transcript]:
    """A transcript for every session in the file, each to be read before the next. Raises sqlite3.Error."""
    uri = f"{Path(path).absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as database:
        database.row_factory = sqlite3.Row
        for row in database.execute(_SESSIONS).fetchall():
            own, parent = identifier(row["id"]), identifier(row["parent_session_id"])
            reader = CrushReader(CRUSH, f"{parent}/{own}" if parent else own)
            reader.enter(reader.given or own, title=text_or(row["title"]))
            yield Transcript(reader, _rows(database, own))


def _rows(database: sqlite3.Connection, session: str) -> Iterator[bytes]:
    for row in database.execute(_MESSAGES, (session,)):
        yield json.dumps(dict(row), default=repr).encode()
