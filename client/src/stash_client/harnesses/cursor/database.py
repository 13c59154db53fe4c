"""Cursor's own store, ``state.vscdb``: the only one of its records with times, models and tool results."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from stash_client.events import JSON, Prompt, Reply, Thinking
from stash_client.harnesses import content
from stash_client.harnesses.base import Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.databases import opened
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader, Transcript

_COMPOSERS = "SELECT value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
_BUBBLE = "SELECT value FROM cursorDiskKV WHERE key = ?"


class BubbleReader(Reader):
    """One conversation; its records are the bubbles its header lists, in that order."""

    def __init__(self, harness: Harness, native_id: str, title: str, model: str) -> None:
        super().__init__(harness, native_id)
        self.enter(native_id, title=title, model=model)

    def record(self, bubble: Mapping[str, JSON]) -> None:
        self.at = text_or(bubble.get("createdAt")) or self.at
        self.key = identifier(bubble.get("bubbleId")) or f"line {self.n}"
        text, tool = text_or(bubble.get("text")), fields_of(bubble.get("toolFormerData"))
        if tool:
            self._tool(tool)
        elif not text.strip():
            self.ignored["empty bubble"] += 1
        elif bubble.get("type") == 1:
            self.emit(Prompt, text=text)
        elif bubble.get("isThought") is True:
            self.emit(Thinking, text=text)
        else:
            self.emit(Reply, text=text, model=self.info.model)

    def _tool(self, tool: Mapping[str, JSON]) -> None:
        call_id = identifier(tool.get("toolCallId")) or f"{self.key}:call"
        given = tool.get("params") or tool.get("rawArgs")
        self.start_call(call_id, text_or(tool.get("name")) or "unknown", content.parse(given), "call")
        result = content.parse(tool.get("result"))
        code = content.exit_code_of(result)
        ok = {"completed": True, "error": False, "cancelled": False}.get(text_or(tool.get("status")))
        self.answered(call_id, result, "call", ok=False if code else ok, exit_code=code)


def read_database(harness: Harness, path: str) -> Iterator[Transcript]:
    """A transcript for every conversation in the file, each to be read before the next. Raises sqlite3.Error."""
    with opened(path) as database:
        for (value,) in database.execute(_COMPOSERS):
            composer = _object(value)
            native_id = identifier(composer.get("composerId"))
            if native_id:
                model = text_or(fields_of(composer.get("modelConfig")).get("modelName"))
                reader = BubbleReader(harness, native_id, text_or(composer.get("name")), model)
                yield Transcript(reader, _bubbles(database, native_id, composer.get("fullConversationHeadersOnly")))


def _bubbles(database: sqlite3.Connection, native_id: str, headers: JSON) -> Iterator[bytes]:
    """Bubbles without a header are left over from answers that were made again."""
    listed: Sequence[JSON] = headers if isinstance(headers, list) else ()
    for header in listed:
        key = f"bubbleId:{native_id}:{identifier(fields_of(header).get('bubbleId'))}"
        row = database.execute(_BUBBLE, (key,)).fetchone()
        if row:
            yield _raw(row[0])


def _object(value: object) -> Mapping[str, JSON]:
    try:
        return fields_of(decode(_raw(value)))
    except (Empty, Unreadable):
        return {}


def _raw(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
