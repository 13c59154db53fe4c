"""Kiro's session files: ``{version, kind, data}`` up to version 2, ``{timestamp, payload}`` since version 3."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.events import JSON, Compaction
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, identifier
from stash_client.harnesses.content import moment, text_or
from stash_client.harnesses.handlers import pictures
from stash_client.harnesses.kiro.results import read_result
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader

_QUIET = frozenset({"turn_start", "turn_end", "usage_summary"})
_COMPACTIONS = frozenset({"Compaction", "Summary", "compaction", "compact"})


class KiroReader(Reader):
    def record(self, record: Mapping[str, JSON]) -> None:
        self.enter(self.given or self.current or UNKNOWN_SESSION)
        if isinstance(record.get("payload"), Mapping):
            self._version_3(record, fields_of(record["payload"]))
        elif isinstance(record.get("data"), Mapping):
            self._version_2(text_or(record.get("kind")), fields_of(record["data"]))
        else:
            self.unknown(text_or(record.get("kind")) or "record", record)

    # Version 2

    def _version_2(self, kind: str, data: Mapping[str, JSON]) -> None:
        self.key = identifier(data.get("message_id")) or f"line {self.n}"
        self.at = moment(fields_of(data.get("meta")).get("timestamp")) or self.at
        blocks = _blocks(data.get("content"))
        if kind == "Prompt":
            self.user_parts([{"text": text} for name, text in blocks if name == "text"], _pictures(blocks))
        elif kind == "AssistantMessage":
            for i, (name, block) in enumerate(blocks):
                self._said(i, name, block)
        elif kind == "ToolResults":
            for i, (_, block) in enumerate(blocks):
                self._result(i, fields_of(block))
        elif kind in _COMPACTIONS:
            self.emit(Compaction, text=text_or(data.get("summary")) or content.text_of([b for _, b in blocks]))
        else:
            self.unknown(kind or "record", data)

    def _said(self, i: int, kind: str, block: JSON) -> None:
        if kind == "text":
            self.reply(content.text_of(block), i, model=self.info.model, message_id=self.key)
        elif kind in ("thinking", "reasoning"):
            self.thought(content.text_of(block), i, message_id=self.key)
        elif kind == "toolUse":
            self._call(fields_of(block), i)
        else:
            self.unknown(kind or "block", fields_of(block), i)

    def _call(self, call: Mapping[str, JSON], i: int) -> None:
        call_id = identifier(call.get("toolUseId", call.get("tool_use_id"))) or f"{self.key}:{i}"
        name = text_or(call.get("name")) or text_or(call.get("toolName")) or "unknown"
        self.start_call(call_id, name, call.get("input", call.get("args")), i)

    def _result(self, i: int, block: Mapping[str, JSON]) -> None:
        status = block.get("status")
        if "is_error" in block:
            status = not block["is_error"]
        self._answered(block.get("toolUseId", block.get("tool_use_id")), block.get("content"), status, i)

    def _answered(self, call_id: JSON, told: JSON, status: JSON, i: int) -> None:
        result = read_result(told, status)
        self.answered(identifier(call_id), result.output, i, ok=result.ok, exit_code=result.exit_code)

    # Version 3

    def _version_3(self, record: Mapping[str, JSON], payload: Mapping[str, JSON]) -> None:
        self.key = identifier(record.get("id")) or f"line {self.n}"
        self.at = moment(record.get("timestamp")) or self.at
        kind = text_or(payload.get("type"))
        if kind == "user":
            blocks = content.blocks_of(payload.get("content"))
            self.user_parts(blocks, pictures(blocks))
        elif kind == "assistant":
            self._operation(text_or(payload.get("operationType"), "Say"), content.text_of(payload.get("content")))
        elif kind == "tool_call":
            call_id = payload.get("toolCallId")
            self._call({"toolUseId": call_id, "name": payload.get("toolName"), "input": payload.get("args")}, 0)
        elif kind == "tool_result":
            self._answered(payload.get("toolCallId"), payload.get("content"), payload.get("success"), 0)
        elif kind == "session_metadata":
            self.enter(self.current, model=text_or(payload.get("model")), title=text_or(payload.get("title")))
        elif kind in _COMPACTIONS:
            self.emit(Compaction, text=text_or(payload.get("summary")) or content.text_of(payload.get("content")))
        elif kind in _QUIET:
            self.ignored[kind] += 1
        else:
            self.unknown(kind or "record", payload)

    def _operation(self, operation: str, text: str) -> None:
        if operation == "Say":
            self.reply(text, model=self.info.model, message_id=self.key)
        else:
            self.thought(text, message_id=self.key)


def _blocks(blocks: JSON) -> list[tuple[str, JSON]]:
    """(kind, data) of each block; a bare text is one block."""
    if isinstance(blocks, str):
        return [("text", blocks)]
    fields = [fields_of(block) for block in (blocks if isinstance(blocks, list) else ())]
    return [(text_or(block.get("kind")), block.get("data")) for block in fields]


def _pictures(blocks: list[tuple[str, JSON]]) -> tuple[str, ...]:
    return tuple("[image]" for kind, _ in blocks if kind == "image")
