"""Goose's sessions: rows of ``sessions.db``, or the lines of an older file that begins with what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from stash_client.events import JSON
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.messages import MessageReader
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript

if TYPE_CHECKING:
    import sqlite3


class GooseReader(MessageReader):
    def record(self, record: Mapping[str, JSON]) -> None:
        self.at = content.moment(record.get("created")) or self.at
        self.key = identifier(record.get("id")) or f"line {self.n}"
        title = text_or(record.get("name")) or text_or(record.get("description"))
        self.enter(self.given or UNKNOWN_SESSION, cwd=text_or(record.get("working_dir")), title=title)
        role = text_or(record.get("role"))
        if role in ("user", "assistant"):
            blocks = [_block(block) for block in content.blocks_of(record.get("content"))]
            self.message(role, {"content": blocks})
        elif "working_dir" not in record:
            self.unknown(role or "record", record)


def _block(block: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Requests and responses of tools carry whether they could be read or run, and beneath it what they hold."""
    call, result = fields_of(block.get("toolCall")), fields_of(block.get("toolResult"))
    if block.get("type") == "toolRequest":
        asked = fields_of(call.get("value"))
        return {"type": "tool_use", "id": block.get("id"), "name": asked.get("name"), "input": asked.get("arguments")}
    if block.get("type") == "toolResponse":
        value = result.get("value")
        inner = fields_of(value)
        failed = bool(result.get("error")) or result.get("status") == "error" or inner.get("isError") is True
        said = inner.get("content", value) or result.get("error")
        return {"type": "tool_result", "call_id": block.get("id"), "content": said, "is_error": failed}
    return block


def read_database(harness: Harness, path: str) -> Iterator[Transcript]:
    """A transcript for every session in the file, each to be read before the next. Raises sqlite3.Error or OSError."""
    from stash_client.harnesses.databases import opened, rows  # hooks must start fast: no sqlite3 for them

    with opened(path) as database:
        for session in list(rows(database, "sessions", "ORDER BY id")):
            native_id = identifier(session.get("id"))
            if native_id:
                reader = GooseReader(harness, native_id)
                title = text_or(session.get("name")) or text_or(session.get("description"))
                reader.enter(native_id, cwd=text_or(session.get("working_dir")), title=title)
                yield Transcript(reader, _messages(database, native_id))


def _messages(database: sqlite3.Connection, session: str) -> Iterator[Mapping[str, JSON]]:
    from stash_client.harnesses.databases import json_in, rows

    for row in rows(database, "messages", "WHERE session_id = ? ORDER BY id", [session]):
        said = json_in(row.get("content_json"))
        yield {"id": row.get("message_id") or row.get("id"), "role": row.get("role"), "content": said,
               "created": row.get("created_timestamp")}  # fmt: skip
