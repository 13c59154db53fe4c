"""A tree with positions of the YAML we understand; NotSure for anchors, tags, several documents, tabs and the like."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Optional

from stash_client.wiring.edits import NotSure
from stash_client.wiring.yaml import scalars

_KEY = re.compile(r"([A-Za-z0-9_./][\w./ -]*?|\"[^\"\\\r\n]*\"|'[^'\r\n]*')[ ]*:(?=[ ]|$)")
_COMMENT = re.compile(r"(?:^|[ ]+)#.*$")
_BLOCK = re.compile(r"[|>](?:[+-]?)$")
_DEEPEST = 50


@dataclass
class Node:
    """``kind``: mapping, list, scalar, flow (a collection on one line, as ``scalar``), or empty (nothing, ``{}`` or
    ``[]``; ``scalar`` has its text). ``start``,
    ``end``: its text, of collections whole lines up to the end of the last that says something."""

    kind: str
    indent: int
    start: int
    end: int
    scalar: Any = ""
    children: list[Child] = field(default_factory=list)


@dataclass
class Child:
    """``start``, ``end``: all its lines. ``key`` is "" in a list."""

    key: str
    start: int
    end: int
    value: Node


@dataclass
class _Line:
    start: int
    end: int
    indent: int
    text: str
    blank: bool


def parse(text: str) -> Node:
    """The mapping that is the whole file. Raises NotSure."""
    return _Reader(text).document()


def value_of(node: Node) -> Any:
    if node.kind == "mapping":
        return {child.key: value_of(child.value) for child in node.children}
    if node.kind == "list":
        return [value_of(child.value) for child in node.children]
    if node.kind == "empty":
        return {"{}": {}, "[]": []}.get(node.scalar)
    return node.scalar


def _lines(text: str) -> list[_Line]:
    found, at = [], 0
    for raw in text.splitlines(keepends=True):
        if raw.endswith(("\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")):
            raise NotSure("a line that ends in an unusual way")
        body = raw.rstrip("\r\n")
        if at == 0:
            body = body.lstrip("\ufeff")
        content = body.strip(" ")
        blank = not content or content.startswith("#")
        found.append(_Line(at, at + len(raw), len(body) - len(body.lstrip(" ")), body.rstrip(" "), blank))
        at += len(raw)
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.lines, self.n = text, _lines(text), 0

    def unsure(self, what: str) -> NotSure:
        return NotSure(f"line {self.n + 1}: {what}")

    def here(self) -> Optional[_Line]:
        """The next line that says something."""
        while self.n < len(self.lines) and self.lines[self.n].blank:
            self.n += 1
        return self.lines[self.n] if self.n < len(self.lines) else None

    def document(self) -> Node:
        first = self.here()
        if first is None:
            return Node("mapping", 0, len(self.text), len(self.text))
        if first.text == "---":
            self.n += 1
        elif first.text.startswith("%"):
            raise self.unsure("a directive")
        if self.here() is None:
            return Node("mapping", 0, len(self.text), len(self.text))
        node = self.collection(0)
        if node.kind != "mapping":
            raise self.unsure("the file is no mapping")
        if self.here() is not None:
            raise self.unsure("a line that belongs to nothing")
        return node

    def collection(self, depth: int) -> Node:
        line = self.here()
        assert line is not None
        if depth > _DEEPEST:
            raise self.unsure("too deep")
        if "\t" in line.text[: line.indent + 1]:
            raise self.unsure("a tab")
        is_list = line.text[line.indent :].startswith("- ") or line.text[line.indent :] == "-"
        node = Node("list" if is_list else "mapping", line.indent, line.start, line.end)
        keys: set[str] = set()
        while (line := self.here()) is not None and line.indent >= node.indent:
            if line.indent > node.indent:
                raise self.unsure("deeper than the line above allows")
            if is_list != (line.text[line.indent :].startswith("- ") or line.text[line.indent :] == "-"):
                if is_list:
                    break
                raise self.unsure("a list in the middle of a mapping")
            if line.text.startswith(("---", "...")):
                raise self.unsure("another document")
            child = self.item(line, depth) if is_list else self.pair(line, depth)
            if not is_list and child.key in keys:
                raise self.unsure(f"{child.key!r} is there twice")
            keys.add(child.key)
            node.children.append(child)
            node.end = child.end
        return node

    def item(self, line: _Line, depth: int) -> Child:
        rest = line.text[line.indent + 1 :]
        inner = rest.lstrip(" ")
        if not inner or inner.startswith("#"):
            raise self.unsure("a list item that begins on the next line")
        column = line.indent + 1 + len(rest) - len(inner)
        if _KEY.match(inner) or inner.startswith("- "):
            line.text = " " * column + inner  # the same line again, as the first of the collection in the item
            start, line.indent = line.start, column
            value = self.collection(depth + 1)
            return Child("", start, value.end, value)
        value, end = self.scalar(line, column)
        return Child("", line.start, end, value)

    def pair(self, line: _Line, depth: int) -> Child:
        match = _KEY.match(line.text, line.indent)
        if match is None:
            raise self.unsure("no key where one should be")
        key = match.group(1)
        key = key[1:-1] if key[0] in "\"'" else key
        if key == "<<":
            raise self.unsure("a merge key")
        indent, start = line.indent, line.start
        rest = _COMMENT.sub("", line.text[match.end() :]).strip(" ")
        at = line.start + len(self.text[line.start : line.end].rstrip("\r\n")) - len(line.text[match.end() :])
        self.n += 1
        if _BLOCK.match(rest):
            value = self.block(indent, line)
            return Child(key, start, value.end, value)
        if rest:
            self.n -= 1
            value, end = self.scalar(line, match.end())
            return Child(key, start, end, value)
        below = self.here()
        dash = below is not None and (below.text[below.indent :].startswith("- ") or below.text[below.indent :] == "-")
        if below is not None and (below.indent > indent or (dash and below.indent == indent)):
            value = self.collection(depth + 1)
            return Child(key, start, value.end, value)
        return Child(key, start, line.end, Node("empty", indent, at, at))

    def block(self, indent: int, line: _Line) -> Node:
        """A literal or folded text: every deeper or empty line belongs to it."""
        end, taken, inner, before = line.end, [], 0, 0
        while self.n < len(self.lines):
            below = self.lines[self.n]
            if below.text.strip(" "):
                if below.indent <= indent:
                    break
                inner = inner or below.indent
                if below.indent < max(inner, before):
                    raise self.unsure("a block of text that moves left")
            before = before if inner else max(before, below.indent)
            taken.append(self.text[below.start : below.end])
            self.n += 1
            end = below.end if below.text.strip(" ") else end
        return Node("scalar", indent, line.end, end, "".join(taken).rstrip())

    def scalar(self, line: _Line, column: int) -> tuple[Node, int]:
        """The value that begins there, and where its last line ends; that line is passed."""
        written = line.text[column:]
        lead = len(written) - len(written.lstrip(" "))
        raw = self.text[line.start : line.end].rstrip("\r\n")
        at = line.start + (1 if raw.startswith("\ufeff") else 0) + column + lead
        kind, value, end = self.value_at(at, written[lead:], line.indent)
        last = self.lines[self.n]
        if _COMMENT.sub("", self.text[end : last.end].rstrip("\r\n")).strip(" "):
            raise self.unsure("more on the line than understood")
        self.n += 1
        return Node(kind, line.indent, at, end, value), last.end

    def value_at(self, at: int, body: str, indent: int) -> tuple[str, Any, int]:
        if body[0] in "\"'":
            found = scalars.quoted(self.text, at)
            if found is None:
                raise self.unsure("a quoted text that is not understood")
            self.go_on(found[1], indent)
            return "scalar", *found
        if body[:2] in ("{}", "[]"):
            return "empty", body[:2], at + 2
        if body[0] in "[{":
            collection = scalars.flow(body)
            if collection is None:
                raise self.unsure("a collection that is not understood")
            return "flow", collection[0], at + collection[1]
        match = scalars.PLAIN.match(body)
        if match is None:
            raise self.unsure("something other than plain text")
        plain = match.group().rstrip(" ")
        if plain == body:
            return self.plain(plain, at, indent)
        return "scalar", plain, at + len(plain)

    def go_on(self, end: int, indent: int) -> None:
        """To the line in which ``end`` lies; all on the way must be deeper than what they belong to."""
        while end > self.lines[self.n].end:
            self.n += 1
            line = self.lines[self.n]
            if line.text.strip(" ") and line.indent <= indent:
                raise self.unsure("a text that goes on too far left")

    def plain(self, first: str, at: int, indent: int) -> tuple[str, str, int]:
        """With the lines in which it goes on."""
        words, end = [first], at + len(first)
        while self.n + 1 < len(self.lines):
            below = self.lines[self.n + 1]
            content = below.text.strip(" ")
            if not content or content.startswith("#") or below.indent <= indent:
                break
            if not scalars.MORE.fullmatch(content):
                raise self.unsure("a text that goes on in a way not understood")
            self.n += 1
            words.append(content)
            end = below.start + below.indent + len(content)
        return "scalar", " ".join(words), end
