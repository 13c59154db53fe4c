"""``crush.db``: sessions and their messages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from stash_client.harnesses.base import identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.crush import CRUSH, CrushReader
from stash_client.harnesses.databases import opened, rows
from stash_client.harnesses.transcripts import Transcript


def read_database(path: str) -> Iterator[Transcript]:
    """A transcript for every session in the file, each to be read before the next. Raises sqlite3.Error or OSError."""
    with opened(path) as database:
        for session in list(rows(database, "sessions", "ORDER BY created_at, id")):
            own, parent = identifier(session.get("id")), identifier(session.get("parent_session_id"))
            if own:
                reader = CrushReader(CRUSH, f"{parent}/{own}" if parent else own)
                reader.enter(reader.given or own, title=text_or(session.get("title")))
                yield Transcript(reader, _messages(database, own))


def _messages(database: sqlite3.Connection, session: str) -> Iterator[bytes]:
    for message in rows(database, "messages", "WHERE session_id = ? ORDER BY created_at, rowid", [session]):
        yield json.dumps(message, default=repr).encode()
