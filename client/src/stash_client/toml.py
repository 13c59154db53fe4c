"""Reads the part of TOML that a ``.stash.toml`` needs, and knows where in the text every value stands.

Tables, bare and quoted keys, strings of all four kinds, booleans, integers, arrays of these, comments. Inline tables,
dates, dotted assignments and arrays of tables are refused: Python has a whole reader from 3.11 on, and what this one
does not know is left alone. A value's place makes it possible to change it and leave everything else as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t]|#[^\n]*|\r?\n)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NEWLINE = re.compile(r"\r?\n")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_INTEGER = re.compile(r"[+-]?(?:0|[1-9](?:_?[0-9])*)(?![\w.:+-])")
_WORD = re.compile(r"(?:true|false)(?![\w.-])")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_UNICODE = {"u": re.compile(r"[0-9A-Fa-f]{4}"), "U": re.compile(r"[0-9A-Fa-f]{8}")}
_FOLDED = re.compile(r"[ \t]*\r?\n(?:[ \t]|\r?\n)*")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")


class Malformed(ValueError):
    """Says in words what is wrong, and in which line."""


@dataclass
class Table:
    """``start``: of its header; ``head``: right after the header's line; ``end``: after its last assignment's line.

    ``spans``: key -> (start, end) of its value in the text; ``lines``: key -> (start, end) of the whole assignment.
    """

    values: dict[str, Any] = field(default_factory=dict)
    start: int = 0
    head: int = 0
    end: int = 0
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    lines: dict[str, tuple[int, int]] = field(default_factory=dict)


def tables(text: str) -> dict[tuple[str, ...], Table]:
    """Every table by its path, what stands before the first header as ``()``. Raises Malformed."""
    return _Reader(text).document()


def loads(text: str) -> dict[str, Any]:
    """The document as nested tables. Raises Malformed."""
    document: dict[str, Any] = {}
    for path, table in tables(text).items():
        node = document
        for part in path:
            node = node.setdefault(part, {})
        if taken := set(node) & set(table.values):
            raise Malformed(f"{min(taken)} is there twice")
        node.update(table.values)
    return document


def quoted(value: str) -> str:
    """A basic string."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: dict[tuple[str, ...], Table] = {(): Table()}

    def fail(self, what: str) -> Malformed:
        return Malformed(f"line {self.text.count(chr(10), 0, self.at) + 1}: {what}")

    def document(self) -> dict[tuple[str, ...], Table]:
        if bad := _FORBIDDEN.search(self.text):
            self.at = bad.start()
            raise self.fail("a control character")
        table = self.found[()]
        while self.skip(_BLANK) < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.assignment(table)
        return self.found

    def skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def take(self, word: str) -> bool:
        found = self.text.startswith(word, self.at)
        self.at += len(word) * found
        return found

    def end_of_line(self) -> None:
        rest = _REST.match(self.text, self.at)
        if rest is None:
            raise self.fail("something follows that does not belong there")
        self.at = rest.end()

    def header(self) -> Table:
        start = self.at
        self.at += 1
        if self.text.startswith("[", self.at):
            raise self.fail("arrays of tables are not read here")
        path = self.dotted()
        if not self.take("]"):
            raise self.fail("a table's name ends with ]")
        self.end_of_line()
        if path in self.found or self.is_value(path):
            self.at = start
            raise self.fail(f"[{'.'.join(path)}] is there twice")
        self.found[path] = Table(start=start, head=self.at, end=self.at)
        return self.found[path]

    def is_value(self, path: tuple[str, ...]) -> bool:
        """Whether a part of the path already has a plain value."""
        return any(
            path[depth] in self.found[path[:depth]].values for depth in range(len(path)) if path[:depth] in self.found
        )

    def dotted(self) -> tuple[str, ...]:
        parts = []
        while True:
            self.skip(_SPACE)
            parts.append(self.key())
            self.skip(_SPACE)
            if not self.take("."):
                return tuple(parts)

    def key(self) -> str:
        if self.text.startswith(('"', "'"), self.at) and not self.text.startswith(('"""', "'''"), self.at):
            return self.string()
        bare = _BARE.match(self.text, self.at)
        if bare is None:
            raise self.fail("a name is missing")
        self.at = bare.end()
        return bare.group()

    def assignment(self, table: Table) -> None:
        line = self.at
        path = self.dotted()
        if len(path) > 1:
            raise self.fail("dotted names are not read here")
        if not self.take("="):
            raise self.fail(f"{path[0]} has no =")
        self.skip(_SPACE)
        start = self.at
        value = self.value(depth=0)
        if path[0] in table.values:
            raise self.fail(f"{path[0]} is there twice")
        table.values[path[0]], table.spans[path[0]] = value, (start, self.at)
        self.end_of_line()
        table.lines[path[0]], table.end = (line, self.at), self.at

    def value(self, depth: int) -> Any:
        if self.text.startswith(('"', "'"), self.at):
            return self.string()
        if self.text.startswith("[", self.at) and depth < 8:
            return self.array(depth)
        if word := _WORD.match(self.text, self.at):
            self.at = word.end()
            return word.group() == "true"
        if number := _INTEGER.match(self.text, self.at):
            self.at = number.end()
            return int(number.group())
        raise self.fail("this value is not read here")

    def array(self, depth: int) -> list[Any]:
        self.at += 1
        items: list[Any] = []
        while self.skip(_BLANK) < len(self.text):
            if self.take("]"):
                return items
            items.append(self.value(depth + 1))
            self.skip(_BLANK)
            if not self.take(",") and not self.text.startswith("]", self.at):
                raise self.fail("items of an array are separated by commas")
        raise self.fail("an array does not end")

    def string(self) -> str:
        quote = next(mark for mark in ('"""', "'''", '"', "'") if self.take(mark))
        is_long = len(quote) == 3
        if is_long:
            self.skip(_NEWLINE)
        out: list[str] = []
        while self.at < len(self.text):
            letter = self.text[self.at]
            if self.take(quote):
                return "".join(out) + (self.quotes_before_the_end(quote[0]) if is_long else "")
            if quote[0] == '"' and self.take("\\"):
                out.append(self.escape(is_long))
            elif letter == "\n" and not is_long:
                break
            else:
                out.append(letter)
                self.at += 1
        raise self.fail("a string does not end")

    def quotes_before_the_end(self, mark: str) -> str:
        """A long string may end in one or two quotes of its own, right before the three that close it."""
        own = 0
        while own < 2 and self.take(mark):
            own += 1
        return mark * own

    def escape(self, is_long: bool) -> str:
        letter = self.text[self.at : self.at + 1]
        if is_long and (folded := _FOLDED.match(self.text, self.at)):
            self.at = folded.end()
            return ""
        self.at += 1
        if letter in _UNICODE and (digits := _UNICODE[letter].match(self.text, self.at)):
            self.at = digits.end()
            number = int(digits.group(), 16)
            if number < 0x110000 and not 0xD800 <= number < 0xE000:
                return chr(number)
        elif letter in _ESCAPES and letter:
            return _ESCAPES[letter]
        raise self.fail("an unknown escape")
