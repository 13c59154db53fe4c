"""Session files of entries ``{"type", "id", "timestamp", "message": {"role", "content"}}`` after one that names the
session: Pi, and those that write its format or one much like it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stash_client.events import JSON, Compaction, Note
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.messages import ROLES, MessageReader
from stash_client.harnesses.tools import fields_of

_IGNORED = frozenset({"thinking_level_change", "label", "usage", "todo_state", "custom"})


class EntryReader(MessageReader):
    def record(self, record: Mapping[str, JSON]) -> None:
        kind = text_or(record.get("type"))
        self.at = content.moment(record.get("timestamp")) or self.at
        self.key = identifier(record.get("id")) or f"line {self.n}"
        if kind in ("session", "session_start"):
            self._session(record)
            return
        self.enter(self.current or self.given or UNKNOWN_SESSION)
        if kind in _MEANINGS:
            _MEANINGS[kind](self, record)
        elif kind in _IGNORED:
            self.ignored[kind] += 1
        else:
            self.unknown(kind or "record", record)

    def _session(self, record: Mapping[str, JSON]) -> None:
        own = self.given or identifier(record.get("id")) or UNKNOWN_SESSION
        title = text_or(record.get("sessionTitle")) or text_or(record.get("title"))
        self.enter(own, cwd=text_or(record.get("cwd")), title=title)

    def _message(self, record: Mapping[str, JSON]) -> None:
        message = fields_of(record.get("message"))
        role = text_or(message.get("role"))
        source = text_or(fields_of(message.get("meta")).get("source"))
        if role == "user" and source not in ("", "user", "tool"):
            self.emit(Note, name=source, text=content.text_of(message.get("content")))
        elif role in ROLES:
            self.message(role, message, message_id_of(message))
        else:
            self.unknown(role or "message", message)

    def _compaction(self, record: Mapping[str, JSON]) -> None:
        self.emit(
            Compaction,
            text=text_or(record.get("summary")) or text_or(record.get("summaryText")),
            trigger=text_or(record.get("summaryKind")) or None,
            tokens_before=number(record.get("tokensBefore")),
            tokens_after=number(record.get("summaryTokens")),
        )

    def _model(self, record: Mapping[str, JSON]) -> None:
        self.enter(self.current, model=text_or(record.get("modelId")))

    def _name(self, record: Mapping[str, JSON]) -> None:
        self.enter(self.current, title=text_or(record.get("name")))


def message_id_of(message: Mapping[str, JSON]) -> str | None:
    """Messages have no id, but a time in milliseconds that their events tell as well."""
    return identifier(message.get("timestamp")) or None


_MEANINGS: Mapping[str, Callable[[EntryReader, Mapping[str, JSON]], None]] = {
    "message": EntryReader._message,
    "compaction": EntryReader._compaction,
    "compaction_state": EntryReader._compaction,
    "model_change": EntryReader._model,
    "session_info": EntryReader._name,
}
