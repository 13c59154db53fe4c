"""Hermes's store, ``state.db``: sessions with their messages, subagents and continuations among them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from stash_client.events import JSON
from stash_client.harnesses.base import Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.databases import Row, opened, rows
from stash_client.harnesses.hermes.family import Family
from stash_client.harnesses.hermes.transcript import HermesReader
from stash_client.harnesses.transcripts import Transcript

_LAST = "SELECT max(id) FROM messages WHERE session_id = ? AND role = 'assistant' AND coalesce(content, '') <> ''"


def read_database(harness: Harness, path: str) -> Iterator[Transcript]:
    """A transcript for every session, each to be read before the next. Raises sqlite3.Error or OSError."""
    with opened(path) as database:
        family = Family()
        for session in rows(database, "sessions", "ORDER BY started_at"):
            family.add(session)
        for session in rows(database, "sessions", "ORDER BY started_at"):
            native_id = identifier(session.get("id"))
            if native_id:
                reader = HermesReader(harness, family.path(native_id))
                (last,) = database.execute(_LAST, (native_id,)).fetchone()
                reader.begin(session, continues=family.continues(native_id), last=identifier(last))
                yield Transcript(reader, _messages(database, native_id))


def _messages(database: sqlite3.Connection, native_id: str) -> Iterator[Row]:
    return rows(database, "messages", "WHERE session_id = ? ORDER BY id", (native_id,))


def find_session(path: str, native_id: str, cwd: str) -> Mapping[str, JSON]:
    """``session_id``, ``parent_session_id`` and ``cwd`` as far as the store knows them; {} when it cannot be read."""
    try:
        with opened(path) as database:
            if not native_id:
                where = "WHERE cwd = ? AND ended_at IS NULL ORDER BY started_at DESC LIMIT 1"
                found = next(rows(database, "sessions", where, (cwd,)), None)
                return {"session_id": identifier(found["id"])} if found else {}
            return _known(database, native_id)
    except (sqlite3.Error, OSError):
        return {}


def _known(database: sqlite3.Connection, native_id: str) -> Mapping[str, JSON]:
    family, name = Family(), native_id
    where = "WHERE id = ?"
    for _ in range(Family.DEEPEST):
        session = next(rows(database, "sessions", where, (name,)), None)
        if session is None:
            break
        family.add(session)
        name = identifier(session.get("parent_session_id"))
    above = family.path(native_id).rpartition("/")[0]
    cwd = text_or(family.row(native_id).get("cwd"))
    return {**({"parent_session_id": above} if above else {}), **({"cwd": cwd} if cwd else {})}
