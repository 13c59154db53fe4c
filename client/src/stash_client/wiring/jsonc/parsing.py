"""A tree with positions: comments, trailing commas, a BOM and JSON5's quotes and bare keys are understood."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Union

from stash_client.wiring.edits import NotSure

_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BARE = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_WORDS = {"true": True, "false": False, "null": None}
_SINGLE = re.compile(r"'((?:[^'\\\r\n]|\\.)*)'")
_DEEPEST = 100


@dataclass
class Node:
    """``kind``: object, array or scalar; ``text[start:end]`` is all of it. Children of an object are members."""

    kind: str
    start: int
    end: int = 0
    scalar: Any = None
    children: list[Union[Node, Member]] = field(default_factory=list)

    @property
    def value(self) -> Node:
        return self


@dataclass
class Member:
    key: str
    start: int
    value: Node

    @property
    def end(self) -> int:
        return self.value.end


def parse(text: str) -> Node:
    """Raises NotSure for anything that is not one value."""
    reader = _Reader(text)
    node = reader.value(reader.skip(0), 0)
    if reader.skip(node.end) != len(text):
        raise reader.unsure(reader.skip(node.end), "something after the end")
    return node


def value_of(node: Node) -> Any:
    """As plain data. A key that comes again keeps both values, the later under ``(key, n)``."""
    if node.kind == "array":
        return [value_of(child.value) for child in node.children]
    if node.kind == "scalar":
        return node.scalar
    made: dict[Any, Any] = {}
    for child in node.children:
        assert isinstance(child, Member)
        key: Any = child.key
        while key in made:
            key = (child.key, len(made))
        made[key] = value_of(child.value)
    return made


def blank_end(text: str, at: int) -> int:
    """Where the blanks and comments that begin at ``at`` end."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def skip(self, at: int) -> int:
        return blank_end(self.text, at)

    def unsure(self, at: int, what: str) -> NotSure:
        return NotSure(f"line {self.text.count(chr(10), 0, at) + 1}: {what}")

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.unsure(at, "too deep")
        first = self.text[at : at + 1]
        if first == "{":
            return self.container(at, depth, "object", "}")
        if first == "[":
            return self.container(at, depth, "array", "]")
        scalar, end = self.scalar(at)
        return Node("scalar", at, end, scalar)

    def container(self, at: int, depth: int, kind: str, close: str) -> Node:
        node = Node(kind, at)
        at = self.skip(at + 1)
        while self.text[at : at + 1] != close:
            child = self.member(at, depth) if kind == "object" else self.value(at, depth + 1)
            node.children.append(child)
            at = self.skip(child.end)
            if self.text[at : at + 1] == ",":
                at = self.skip(at + 1)
            elif self.text[at : at + 1] != close:
                raise self.unsure(at, f"neither a comma nor {close!r}")
        node.end = at + 1
        return node

    def member(self, at: int, depth: int) -> Member:
        bare = _BARE.match(self.text, at)
        if bare:
            key, end = bare.group(), bare.end()
        elif self.text[at : at + 1] in ('"', "'"):
            key, end = self.scalar(at)
        else:
            raise self.unsure(at, "no key where one should be")
        colon = self.skip(end)
        if self.text[colon : colon + 1] != ":":
            raise self.unsure(colon, "no colon after a key")
        return Member(key, at, self.value(self.skip(colon + 1), depth + 1))

    def scalar(self, at: int) -> tuple[Any, int]:
        if self.text[at : at + 1] == '"':
            return self.quoted(at)
        if match := _SINGLE.match(self.text, at):
            return re.sub(r"\\(.)", r"\1", match.group(1)), match.end()
        if match := _NUMBER.match(self.text, at):
            return json.loads(match.group()), match.end()
        word = _BARE.match(self.text, at)
        if word and word.group() in _WORDS:
            return _WORDS[word.group()], word.end()
        raise self.unsure(at, "no value where one should be")

    def quoted(self, at: int) -> tuple[str, int]:
        try:
            return json.JSONDecoder(strict=True).raw_decode(self.text, at)
        except ValueError:
            raise self.unsure(at, "a text that does not end") from None
