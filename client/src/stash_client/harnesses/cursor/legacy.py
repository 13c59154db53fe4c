"""The text transcripts of older versions: headings, ``[Thinking]``, ``[Tool call] Name`` and ``[Tool result] Name``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stash_client.harnesses.cursor.transcript import CursorReader

_HEADING = re.compile(r"^(user|assistant|A):\s*$")
_MARK = re.compile(r"^\[(Thinking|Tool call|Tool result)\] ?(.*)$")
_FIELD = re.compile(r"^\s+([A-Za-z_]\w{0,60}): ?(.*)$")


class LegacyText:
    """Collects paragraphs and tool calls; the reader makes the events. The line a thing began at is its position."""

    def __init__(self, reader: CursorReader) -> None:
        self._reader = reader
        self._role = "assistant"
        self._text: list[str] = []
        self._n = 0
        self._began = 0
        self._blank = True
        self._call = ""
        self._fields: dict[str, str] = {}
        self._result: list[str] = []
        self._in_result = False

    def line(self, line: str) -> None:
        self._n = self._reader.n
        heading, mark = _HEADING.match(line), _MARK.match(line)
        if heading and self._blank:
            self.finish()
            self._role = "user" if heading.group(1) == "user" else "assistant"
        elif mark and self._role == "assistant":
            self._marked(mark.group(1), mark.group(2).strip())
        elif self._call:
            self._of_call(line)
        else:
            self._began = self._began if self._text else self._n
            self._text.append(line)
        self._blank = not line.strip()

    def finish(self) -> None:
        self._flush_text()
        self._flush_call()

    def _marked(self, kind: str, rest: str) -> None:
        self._flush_text()
        if kind == "Tool result" and self._call:
            self._in_result = True
            return
        self._flush_call()
        if kind == "Thinking":
            self._at(self._n)
            self._reader.thought(rest, "thinking")
        elif kind == "Tool call":
            self._call, self._began = rest or "unknown", self._n

    def _of_call(self, line: str) -> None:
        """Fields are indented; a line at the margin after them is the answer going on."""
        field = _FIELD.match(line)
        if self._in_result:
            self._result.append(line)
        elif field:
            self._fields[field.group(1)] = field.group(2)
        elif line.strip():
            self._flush_call()
            self._text, self._began = [line], self._n

    def _flush_text(self) -> None:
        text, self._text = "\n".join(self._text).strip(), []
        if text:
            self._at(self._began)
            self._reader.said(self._role, text)

    def _flush_call(self) -> None:
        name, fields, result = self._call, self._fields, "\n".join(self._result).strip("\n")
        self._call, self._fields, self._result, self._in_result = "", {}, [], False
        if name:
            self._at(self._began)
            self._reader.bare_call(name, fields, result or None, "call")

    def _at(self, began: int) -> None:
        self._reader.n, self._reader.key = began, f"line {began}"
