"""Cursor's transcripts: JSON lines without times, ids or models, often without results; before that, plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from stash_client.events import JSON, Note, Prompt, Reply, ToolCall
from stash_client.harnesses import content, machine_text
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.cursor.legacy import LegacyText
from stash_client.harnesses.handlers import pictures
from stash_client.harnesses.transcripts import Call, Line, Reader

_OPEN, _CLOSE = "<user_query>", "</user_query>"


class CursorReader(Reader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._legacy: Optional[LegacyText] = None
        self._begun = False

    def line(self, n: int, raw: Line) -> None:
        """The first line that says anything decides which of the two formats this is."""
        if isinstance(raw, bytes) and not self._begun and raw.strip(b"\xef\xbb\xbf \t\r\n"):
            self._begun = True
            if not raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
                self._legacy = LegacyText(self)
        if self._legacy and isinstance(raw, bytes):
            self.n, self.key = n, f"line {n}"
            self._enter()
            self._legacy.line(raw.decode("utf-8", "replace").lstrip("\ufeff").rstrip("\r\n"))
        else:
            super().line(n, raw)

    def finish(self) -> None:
        if self._legacy:
            self._legacy.finish()
        super().finish()

    def _enter(self) -> None:
        self.enter(self.given or UNKNOWN_SESSION)

    def record(self, record: Mapping[str, JSON]) -> None:
        self._enter()
        self.at = text_or(record.get("timestamp"))
        role, message = text_or(record.get("role")), record.get("message")
        if role not in ("user", "assistant"):
            self.unknown(role or text_or(record.get("type")) or "record", record)
        elif not isinstance(message, Mapping):
            self.skipped["no message"] += 1
        else:
            for i, block in enumerate(content.blocks_of(message.get("content"))):
                self._block(role, i, block)

    def _block(self, role: str, i: int, block: Mapping[str, JSON]) -> None:
        kind = text_or(block.get("type"))
        if kind == "text":
            self.said(role, text_or(block.get("text")), i)
        elif kind == "thinking":
            self.thought(text_or(block.get("thinking")) or text_or(block.get("text")), i)
        elif kind == "tool_use":
            self.call(identifier(block.get("id")), text_or(block.get("name")) or "unknown", block.get("input"), i)
        elif kind == "tool_result":
            self._result(i, block)
        elif pictures((block,)):
            self.emit(Prompt, i, attachments=pictures((block,)))
        else:
            self.unknown(kind or "block", block, i)

    def said(self, role: str, text: str, block: object = 0) -> None:
        if not text.strip():
            return
        if role == "user":
            self._user(text, block)
        else:
            self.emit(Reply, block, text=text, model=self.info.model)

    def _user(self, text: str, block: object) -> None:
        """What the person typed stands between marks; the rest is context the program added."""
        before, opened, rest = text.partition(_OPEN)
        typed, closed, after = rest.rpartition(_CLOSE)
        if opened and closed:
            self._context(f"{before}{after}", f"{block} context")
            text = typed.strip()
        name = None if opened and closed else machine_text.machine_name(text)
        if name or self.is_child:
            self.emit(Note, block, name=name or "task", text=text)
        elif text:
            self.emit(Prompt, block, text=text)

    def _context(self, text: str, block: str) -> None:
        if text.strip():
            self.emit(Note, block, name="context", text=text.strip())

    def call(self, call_id: str, name: str, value: JSON, block: object = 0) -> None:
        """Without an id no result can come: then the call is all there will be."""
        if call_id:
            self.start_call(call_id, name, value, block)
        else:
            self.bare_call(name, value, None, block)

    def bare_call(self, name: str, value: JSON, result: JSON, block: object = 0) -> None:
        stamp = self.make(ToolCall, block)
        call = Call(self.current, name, value, self.key, self.at, self.n, None)
        code = content.exit_code_of(result)
        made = self.tool_call(
            call, None, result, uid=stamp.uid, n=stamp.n, occurred_at=stamp.occurred_at, exit_code=code,
            ok=None if result is None or code is None else code == 0,
        )  # fmt: skip
        self.put(self.current, made)

    def _result(self, i: int, block: Mapping[str, JSON]) -> None:
        result, failed = block.get("content"), block.get("is_error") is True
        code = content.exit_code_of(result)
        ok = False if failed or code else True if code == 0 else None
        self.answered(identifier(block.get("tool_use_id")), result, i, ok=ok, exit_code=code)
