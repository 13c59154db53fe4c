"""Splices that put a member or an item in, and that take one out, in the manner of the lines around it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Optional, Union

from stash_client.wiring.edits import Entry, NotSure, Ours, Path, Splice, gone
from stash_client.wiring.jsonc.parsing import Member, Node, blank_end, parse, value_of

Child = Union[Node, Member]
_SAME_LINE = re.compile(r"(?:[ \t]*/\*[^\n]*?\*/)*(?:[ \t]*//[^\r\n]*)?")
_INDENT = re.compile(r"(?:^|\n)([ \t]+)[^\s]")


def insert(text: str, entry: Entry) -> list[Splice]:
    """Raises NotSure where something else stands in the way."""
    place = parse(text)
    names = list(entry.path)
    while names:
        found = _member(place, names[0])
        if found is None:
            break
        place = found.value
        names.pop(0)
    key, value = _nested(names, entry)
    wanted = "array" if key is None else "object"
    if place.kind != wanted or (key is not None and _member(place, key)):
        raise NotSure(f"{'.'.join(entry.path) or 'the file'} holds something else")
    return _put(text, place, key, value)


def removal(text: str, ours: Ours) -> list[Splice]:
    """The splices that take out one thing of ours, none when there is nothing left."""
    found = _first_gone(parse(text), ours, ())
    return _cut(text, *found) if found else []


def _member(node: Node, name: str) -> Optional[Member]:
    if node.kind != "object":
        raise NotSure(f"{name!r} would have to go into something that is no object")
    found = [child for child in node.children if isinstance(child, Member) and child.key == name]
    if len(found) > 1:
        raise NotSure(f"{name!r} is there {len(found)} times")
    return found[0] if found else None


def _nested(missing: list[str], entry: Entry) -> tuple[Optional[str], Any]:
    """What to put into the innermost container that exists, under which key."""
    names = missing if entry.key is None else [*missing, entry.key]
    value = [entry.value] if entry.key is None and missing else entry.value
    for name in reversed(names[1:]):
        value = {name: value}
    return (names[0] if names else None), value


@dataclass(frozen=True)
class _Manner:
    newline: str
    unit: str

    def rendered(self, key: Optional[str], value: Any, indent: str) -> str:
        """On lines of its own, or on one line where ``unit`` is empty."""
        plain = json.dumps(value, ensure_ascii=False, indent=self.unit or None)
        lines = plain.split("\n")
        start = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
        return start + f"{self.newline}{indent}".join(lines)


def _manner(text: str) -> _Manner:
    found = _INDENT.search(text)
    crlf = text.count("\r\n") * 2 > text.count("\n")
    return _Manner("\r\n" if crlf else "\n", found.group(1) if found else "  ")


def _indent_at(text: str, at: int) -> str:
    """The blanks that begin the line of ``at``."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _put(text: str, place: Node, key: Optional[str], value: Any) -> list[Splice]:
    if not place.children:
        return _fill(text, place, key, value)
    last = place.children[-1]
    comma = blank_end(text, last.end)
    trailing = text[comma] == ","
    at = _line_rest(text, comma + 1 if trailing else last.end)
    if "\n" in text[place.start : place.end]:
        manner = _manner(text)
        indent = _child_indent(text, place, manner)
        new = manner.newline + indent + manner.rendered(key, value, indent)
    else:
        new = " " + _Manner("", "").rendered(key, value, "")
    if trailing:
        return [Splice(at, at, new + ",")]
    return [Splice(last.end, last.end, ","), Splice(at + 1, at + 1, new)]


def _child_indent(text: str, place: Node, manner: _Manner) -> str:
    for child in reversed(place.children):
        line = text[text.rfind("\n", 0, child.start) + 1 : child.start]
        if not line.strip(" \t"):
            return line
    return _indent_at(text, place.start) + manner.unit


def _line_rest(text: str, at: int) -> int:
    """After the comments that stand on this line and belong to what stands before them."""
    match = _SAME_LINE.match(text, at)
    return match.end() if match else at


def _fill(text: str, place: Node, key: Optional[str], value: Any) -> list[Splice]:
    """Into an empty container; comments in it stay before."""
    manner = _manner(text)
    base = _indent_at(text, place.start)
    inner = text[place.start + 1 : place.end - 1]
    at = place.start + 1 + len(inner.rstrip())
    indent = base + manner.unit
    new = manner.newline + indent + manner.rendered(key, value, indent)
    if "\n" not in text[at : place.end]:
        new += manner.newline + base
    return [Splice(at, at, new)]


def _first_gone(node: Node, ours: Ours, path: Path) -> Optional[tuple[Node, int]]:
    """The container and the index of the outermost child that goes."""
    for index, child in enumerate(node.children):
        below = (*path, child.key if isinstance(child, Member) else "*")
        if gone(value_of(child.value), ours, below):
            return node, index
        if found := _first_gone(child.value, ours, below):
            return found
    return None


def _cut(text: str, node: Node, index: int) -> list[Splice]:
    child = node.children[index]
    start = _with_blanks_before(text, child.start)
    above = text[node.children[index - 1].end if index else node.start : start]
    comma = blank_end(text, child.end)
    if text[comma] == ",":
        end = comma + 1
        if start == child.start and index + 1 < len(node.children):
            end = _blanks_after(text, end)
        between = text[child.end : comma]
        return [_apart(text, above, Splice(start, end, between if between.strip() else ""), child)]
    if index:
        before = blank_end(text, node.children[index - 1].end)
        return [_apart(text, above, Splice(start, child.end, ""), child), Splice(before, before + 1, "")]
    inner = text[node.start + 1 : child.start] + text[child.end : node.end - 1]
    if not inner.strip():
        return [Splice(node.start + 1, node.end - 1, "")]
    return [_apart(text, above, Splice(start, child.end, ""), child)]


def _apart(text: str, above: str, splice: Splice, child: Child) -> Splice:
    """Never pulls what follows onto a line that may end in a comment; ``above``: from the child before to here."""
    rest = (splice.new + text[splice.end :]).lstrip(" \t")
    if "//" not in above or rest.startswith(("\n", "\r\n")):
        return splice
    return Splice(child.start, splice.end, splice.new)


def _with_blanks_before(text: str, at: int) -> int:
    """Where the blanks before ``at`` begin, with the line break if there is nothing else on the line."""
    start = len(text[:at].rstrip(" \t"))
    if text[start - 1 : start] == "\n":
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    return start


def _blanks_after(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip(" \t"))
