"""TOML, with the place of every table and value known, so that a value is changed and all else left as it is.

Refuses rather than guesses. Python has a reader from 3.11 on, but none that tells places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Optional

Path = tuple[str, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANKS = re.compile(r"[ \t]*")
_LINES = re.compile(r"(?:[ \t]|\r?\n|#[^\r\n]*)*")
_REST = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$)")
_INTEGER = re.compile(r"[+-]?(?:0|[1-9](?:_?[0-9])*)(?![\w.:+-])")
_DIGITS = r"[0-9](?:_?[0-9])*"
_RARE = re.compile(
    r"(?:[+-]?(?:inf|nan)|0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*"
    rf"|[+-]?(?:0|[1-9](?:_?[0-9])*)(?:\.{_DIGITS})?(?:[eE][+-]?{_DIGITS})?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?)?"
    r"|[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?)(?![\w.:+-])"
)
"""Floats, other bases, dates and times: nobody here needs their values."""
_BOOLEAN = re.compile(r"(?:true|false)(?![\w.:+-])")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
_LITERALS = (("'''", r"'''\r?\n?(.*?'{0,2})'''(?!')", True), ("'", r"'([^'\r\n]*)'", True))
_BASICS = (
    ('"""', r'"""(?:\r?\n)?((?:[^"\\]|\\.|"{1,2}(?!"))*"{0,2})"""', False),
    ('"', r'"((?:[^"\\\r\n]|\\[^\r\n])*)"', False),
)
_STRINGS = tuple((mark, re.compile(rule, re.DOTALL), literal) for mark, rule, literal in (*_LITERALS, *_BASICS))
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[ \t]*\r?\n\s*|(.))", re.DOTALL)
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_DEEPEST = 100
Span = tuple[int, int]


class Malformed(ValueError):
    """Says in words what is wrong or not understood, and in which line."""


@dataclass
class Table:
    """One ``[header]`` or ``[[header]]`` and its lines. ``end``: after the last line that sets something.

    Of keys without a dot: ``spans``: where the value stands, ``lines``: where the whole assignment does.
    """

    path: Path
    is_item: bool
    start: int
    end: int
    value: dict[str, Any]
    spans: dict[str, Span] = field(default_factory=dict)
    lines: dict[str, Span] = field(default_factory=dict)


@dataclass
class Document:
    """``tables``: in the order of the file, without what stands before the first header.

    ``value``: rare scalars (dates, floats) as ``("raw", text)``.
    """

    value: dict[str, Any] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)

    def table(self, *path: str) -> Optional[Table]:
        """The one with that header. Raises Malformed where it is written in another way."""
        found = next((table for table in self.tables if table.path == path and not table.is_item), None)
        place: Any = self.value
        for name in path:
            place = place.get(name) if isinstance(place, dict) else None
        if found is None and place is not None:
            raise Malformed(f"[{'.'.join(path)}] is not written as a table")
        return found


def parse(text: str) -> Document:
    """Raises Malformed."""
    return _Reader(text).document()


def quoted(value: str) -> str:
    """A basic string."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 1 if text.startswith("\ufeff") else 0
        self.fixed: set[int] = set()  # arrays and inline tables: complete as they stand
        self.opened: set[int] = set()

    def unsure(self, what: str) -> Malformed:
        return Malformed(f"line {self.text.count(chr(10), 0, self.at) + 1}: {what}")

    def document(self) -> Document:
        if bad := _FORBIDDEN.search(self.text):
            self.at = bad.start()
            raise self.unsure("a control character")
        found = Document()
        table = Table((), False, 0, 0, found.value)
        while self.past(_LINES) < len(self.text):
            if self.text[self.at] == "[":
                table = self.header(found.value)
                found.tables.append(table)
                self.line_end()
            else:
                self.line(table)
            table.end = self.at
        return found

    def line(self, table: Table) -> None:
        start = self.at
        path, span = self.pair(table.value)
        self.line_end()
        if len(path) == 1:
            table.spans[path[0]], table.lines[path[0]] = span, (start, self.at)

    def past(self, rule: re.Pattern[str]) -> int:
        match = rule.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def line_end(self) -> None:
        if not _REST.match(self.text, self.at):
            raise self.unsure("more on the line than understood")
        self.past(_REST)

    def took(self, mark: str) -> bool:
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True

    def header(self, root: dict[str, Any]) -> Table:
        start = self.at
        is_item = self.took("[[")
        if not is_item:
            self.took("[")
        path = self.key()
        if not self.took("]]" if is_item else "]"):
            raise self.unsure("a header that does not close")
        parent = self.walk(root, path[:-1], through_lists=True)
        value: dict[str, Any] = {}
        if is_item:
            items = parent.setdefault(path[-1], [])
            if not isinstance(items, list) or id(items) in self.fixed:
                raise self.unsure(f"{'.'.join(path)} is no list of tables")
            items.append(value)
        else:
            value = parent.setdefault(path[-1], value)
            if not isinstance(value, dict) or id(value) in self.fixed | self.opened:
                raise self.unsure(f"{'.'.join(path)} is no table, or there twice")
            self.opened.add(id(value))
        return Table(path, is_item, start, start, value)

    def walk(self, place: dict[str, Any], path: Path, *, through_lists: bool) -> dict[str, Any]:
        for name in path:
            below = place.setdefault(name, {})
            if through_lists and isinstance(below, list) and below and id(below) not in self.fixed:
                below = below[-1]
            if not isinstance(below, dict) or id(below) in self.fixed:
                raise self.unsure(f"{name} is no table")
            place = below
        return place

    def pair(self, table: dict[str, Any], depth: int = 0) -> tuple[Path, Span]:
        """Its key, and where its value stands."""
        path = self.key()
        if not self.took("="):
            raise self.unsure("no = after a key")
        start = self.past(_BLANKS)
        place = self.walk(table, path[:-1], through_lists=False)
        if path[-1] in place:
            raise self.unsure(f"{'.'.join(path)} is set twice")
        place[path[-1]] = self.value(depth)
        return path, (start, self.at)

    def key(self) -> Path:
        parts = []
        while True:
            self.past(_BLANKS)
            bare = _BARE.match(self.text, self.at)
            if bare:
                parts.append(bare.group())
                self.at = bare.end()
            elif (string := self.string()) is not None:
                parts.append(string)
            else:
                raise self.unsure("no key where one should be")
            self.past(_BLANKS)
            if not self.took("."):
                return tuple(parts)

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise self.unsure("too deep")
        if (string := self.string()) is not None:
            return string
        if self.took("["):
            return self.array(depth)
        if self.took("{"):
            return self.inline(depth)
        if match := _INTEGER.match(self.text, self.at):
            self.at = match.end()
            return int(match.group().replace("_", ""))
        if match := _BOOLEAN.match(self.text, self.at):
            self.at = match.end()
            return match.group() == "true"
        if match := _RARE.match(self.text, self.at):
            self.at = match.end()
            return "raw", match.group()
        raise self.unsure("no value where one should be")

    def array(self, depth: int) -> list[Any]:
        made: list[Any] = []
        while self.past(_LINES) < len(self.text) and not self.took("]"):
            made.append(self.value(depth + 1))
            self.past(_LINES)
            if not self.took(",") and not self.text.startswith("]", self.at):
                raise self.unsure("an array that does not close")
        self.closed("]")
        self.fixed.add(id(made))
        return made

    def inline(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        while self.past(_LINES) < len(self.text) and not self.took("}"):
            self.pair(made, depth + 1)
            self.past(_LINES)
            if not self.took(",") and not self.text.startswith("}", self.at):
                raise self.unsure("an inline table that does not close")
        self.closed("}")
        self.fixed.add(id(made))
        return made

    def closed(self, mark: str) -> None:
        if self.text[self.at - 1 : self.at] != mark:
            raise self.unsure(f"no {mark} before the end")

    def string(self) -> Optional[str]:
        for mark, rule, literal in _STRINGS:
            if not self.text.startswith(mark, self.at):
                continue
            match = rule.match(self.text, self.at)
            if match is None:
                raise self.unsure("a text that does not end")
            self.at = match.end()
            return match.group(1) if literal else _ESCAPE.sub(self.escaped, match.group(1))
        return None

    def escaped(self, match: re.Match[str]) -> str:
        short, long, letter = match.groups()
        if short or long:
            number = int(short or long, 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000:
                raise self.unsure("an escape that is no character")
            return chr(number)
        if letter is None:
            return ""
        if letter not in _ESCAPED:
            raise self.unsure("an escape that is none")
        return _ESCAPED[letter]
