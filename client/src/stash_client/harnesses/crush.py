"""Crush: hooks before tools and compactions only; all else is in its database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stash_client.events import JSON, Compaction
from stash_client.harnesses import content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Batches, Harness, Hook, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.messages import MessageReader
from stash_client.harnesses.sources import SQLITE, Source
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript


def counted(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """A compaction is told as if it were a tool's call."""
    if event != "PreCompact":
        return payload
    rest = {key: value for key, value in payload.items() if key not in ("tool_name", "tool_input")}
    return {**rest, "context_tokens": fields_of(payload.get("tool_input")).get("token_count")}


def tool_called(hook: Hook) -> Batches:
    """No hook tells how a call ends: it is told with its start, the database completes it."""
    return hook.own(h.finished(hook, None, ok=None))


class CrushReader(MessageReader):
    """Rows of the table of messages, ``parts`` of ``{"type", "data"}``; an output ends with the exit code."""

    ends_with_code = True

    def record(self, record: Mapping[str, JSON]) -> None:
        self.at = content.moment(record.get("created_at"))
        self.key = identifier(record.get("id")) or f"line {self.n}"
        self.enter(self.given or identifier(record.get("session_id")) or UNKNOWN_SESSION)
        parts = [_block(part) for part in content.blocks_of(content.parse(record.get("parts")))]
        role = text_or(record.get("role"))
        if record.get("is_summary_message") in (1, True):
            self.emit(Compaction, text="\n".join(text_or(part.get("text")) for part in parts).strip())
        elif role in ("user", "assistant", "tool"):
            kept = [part for part in parts if part["type"] != "finish"]
            self.message(role, {"content": kept, "model": record.get("model")})
        else:
            self.unknown(role or "record", record)


def _block(part: Mapping[str, JSON]) -> Mapping[str, JSON]:
    data = fields_of(part.get("data")) or {"text": part.get("text")}
    return {**data, "type": text_or(part.get("type"), "text")}


def _read(path: str) -> Iterator[Transcript]:
    from stash_client.harnesses.crush_database import read_database  # hooks must start fast: no sqlite3 for them

    return read_database(path)


CRUSH = Harness(
    name="crush",
    label="Crush",
    events={"PreToolUse": tool_called, "PreCompact": h.compacted},
    fallback=by_name,
    reader=CrushReader,
    resume=("crush", "--session", "{session}"),
    ends=False,
    result_events=frozenset({"PreToolUse"}),
    flat=counted,
    sources=(Source("${XDG_DATA_HOME:-~/.local/share}/crush/crush.db", SQLITE, _read),),
)
