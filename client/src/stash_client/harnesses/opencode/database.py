"""OpenCode's store, ``opencode.db``: rows of sessions, messages and parts whose data is JSON without the ids."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from stash_client.events import JSON
from stash_client.harnesses.base import Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.databases import Row, has_table, json_in, opened, rows
from stash_client.harnesses.opencode.parts import agent_type_of, title_of
from stash_client.harnesses.opencode.transcript import OpenCodeReader
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript

_DEEPEST = 5
_MOST_MESSAGES = 200


def read_database(harness: Harness, path: str) -> Iterator[Transcript]:
    """A transcript for every session, each to be read before the next. Raises sqlite3.Error or OSError."""
    with opened(path) as database:
        if not has_table(database, "session"):
            return
        for session in rows(database, "session", "ORDER BY time_created, id"):
            native_id = identifier(session.get("id"))
            if native_id:
                reader = OpenCodeReader(harness, _lineage(database, native_id))
                reader.session_is(native_id, session)
                yield Transcript(reader, _messages(database, native_id))


def _messages(database: sqlite3.Connection, native_id: str) -> Iterator[Mapping[str, JSON]]:
    """``{info, parts}`` of each message, as the program's own interface tells them."""
    where = "WHERE session_id = ? ORDER BY time_created, id"
    for message in rows(database, "message", where, (native_id,)):
        yield _with_parts(database, message)


def _with_parts(database: sqlite3.Connection, message: Row) -> Mapping[str, JSON]:
    parts = rows(database, "part", "WHERE message_id = ? ORDER BY id", (message["id"],))
    return {"info": _record(message), "parts": [_record(part) for part in sorted(parts, key=_age)]}


def _age(part: Row) -> tuple[int, str]:
    created = part.get("time_created")
    return (created if isinstance(created, int) else 0, identifier(part.get("id")))


def _record(row: Row) -> Mapping[str, JSON]:
    ids = {"id": row.get("id"), "sessionID": row.get("session_id"), "messageID": row.get("message_id")}
    return {**fields_of(json_in(row.get("data"))), "created": row.get("time_created"), **ids}


def _lineage(database: sqlite3.Connection, native_id: str) -> str:
    names = [native_id]
    while len(names) < _DEEPEST:
        row = next(rows(database, "session", "WHERE id = ?", (names[0],)), {})
        parent = identifier(row.get("parent_id"))
        if not parent or parent in names:
            break
        names.insert(0, parent)
    return "/".join(names)


# For hooks


def session_facts(path: str, session: str) -> Mapping[str, JSON]:
    """The session's parent, folder, title, version and kind, under the names of a flat payload; {} if unknown."""
    try:
        with opened(path) as database:
            row = next(rows(database, "session", "WHERE id = ?", (session,)), None)
            if row is None:
                return {}
            above = _lineage(database, session).rpartition("/")[0]
    except (sqlite3.Error, OSError):
        return {}
    found = {
        "parentSessionId": above,
        "cwd": text_or(row.get("directory")),
        "session_title": title_of(row),
        "version": text_or(row.get("version")),
        "agent_type": agent_type_of(row),
    }
    return {name: value for name, value in found.items() if value}


def turn_of(path: str, session: str) -> Mapping[str, JSON]:
    """``turn_id``, the id of the session's last prompt, and ``messages``, what was answered to it since."""
    try:
        with opened(path) as database:
            where = f"WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT {_MOST_MESSAGES}"
            answers: list[JSON] = []
            for message in rows(database, "message", where, (session,)):
                if _record(message).get("role") == "user":
                    return {"turn_id": identifier(message.get("id")), "messages": answers}
                answers.insert(0, _with_parts(database, message))
    except (sqlite3.Error, OSError):
        pass
    return {}


def message_role(path: str, message: str) -> str:
    """ "user", "assistant" or "" where the store does not know it yet."""
    try:
        with opened(path) as database:
            row = next(rows(database, "message", "WHERE id = ?", (message,)), None)
    except (sqlite3.Error, OSError):
        return ""
    return text_or(_record(row).get("role")) if row else ""
