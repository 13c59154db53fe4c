"""OpenClaw's store, one per agent: windows of sessions and the entries of each, some of them packed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from stash_client.events import JSON
from stash_client.harnesses.base import Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.databases import Row, has_table, opened, rows, unpacked
from stash_client.harnesses.openclaw.results import agent_in_key
from stash_client.harnesses.openclaw.transcript import OpenClawReader
from stash_client.harnesses.transcripts import Line, Transcript

_DEEPEST = 4
_SESSIONS = "SELECT session_id, min(created_at) FROM transcript_events GROUP BY session_id ORDER BY 2, 1"
_ENTRIES = "SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq"


def read_database(harness: Harness, path: str) -> Iterator[Transcript]:
    """A transcript for every session, each to be read before the next. Raises sqlite3.Error or OSError."""
    with opened(path) as database:
        if not has_table(database, "transcript_events"):
            return
        for session, _ in database.execute(_SESSIONS).fetchall():
            native_id = identifier(session.decode("utf-8", "replace") if isinstance(session, bytes) else session)
            if native_id:
                window = _window(database, native_id)
                reader = OpenClawReader(harness, _path(database, native_id, window))
                reader.window_is(text_or(window.get("display_name")), text_or(window.get("model")))
                yield Transcript(reader, _entries(database, session, reader))


def _entries(database: sqlite3.Connection, session: object, reader: OpenClawReader) -> Iterator[Line]:
    for plain, packed in database.execute(_ENTRIES, (_key(session),)):
        entry = plain if isinstance(plain, bytes) else unpacked(packed)
        if entry is None:
            reader.skipped["packed in a way this Python cannot read"] += 1
        else:
            yield entry


def _key(session: object) -> object:
    """Texts come as bytes, but are stored as text."""
    return session.decode("utf-8", "replace") if isinstance(session, bytes) else session


def _window(database: sqlite3.Connection, native_id: str) -> Row:
    if not has_table(database, "session_windows"):
        return {}
    return next(rows(database, "session_windows", "WHERE session_id = ?", (native_id,)), {})


def _path(database: sqlite3.Connection, native_id: str, window: Row, depth: int = 0) -> str:
    """``parent/agent`` for a subagent's session, by the session that was in its parent's slot when it began."""
    agent = agent_in_key(text_or(window.get("session_key")))
    if not agent or depth > _DEEPEST:
        return native_id
    above = _in_slot(database, _parent_key(window), window.get("started_at"), depth)
    return f"{above}/{agent}" if above else native_id


def _parent_key(row: Row) -> str:
    return text_or(row.get("parent_session_key")) or text_or(row.get("spawned_by"))


def _in_slot(database: sqlite3.Connection, key: str, at: object, depth: int) -> str:
    """The last session that was put into the slot before ``at`` (ms); without a time the last one."""
    if not key or not has_table(database, "session_windows"):
        return ""
    before = at if isinstance(at, int) else 2**62
    where = "WHERE session_key = ? ORDER BY coalesce(started_at, created_at) <= ? DESC, created_at DESC LIMIT 1"
    row: Row = next(rows(database, "session_windows", where, (key, before)), {})
    return _path(database, identifier(row.get("session_id")), row, depth + 1) if row else ""


def slot(path: str, key: str) -> Mapping[str, JSON]:
    """``sessionId`` and ``parentSessionId`` of the slot as it is now; {} if this store does not know it."""
    try:
        with opened(path) as database:
            if not has_table(database, "session_nodes"):
                return {}
            node = next(rows(database, "session_nodes", "WHERE session_key = ?", (key,)), None)
            if node is None:
                return {}
            above = _now_in(database, _parent_key(node)) if agent_in_key(key) else ""
    except (sqlite3.Error, OSError):
        return {}
    found = {"sessionId": identifier(node.get("current_session_id")), "parentSessionId": above}
    return {name: value for name, value in found.items() if value}


def _now_in(database: sqlite3.Connection, key: str, depth: int = 0) -> str:
    node: Row = next(rows(database, "session_nodes", "WHERE session_key = ?", (key,)), {})
    agent = agent_in_key(key)
    above = _now_in(database, _parent_key(node), depth + 1) if agent and depth < _DEEPEST else ""
    return f"{above}/{agent}" if above else identifier(node.get("current_session_id"))
