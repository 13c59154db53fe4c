"""Whole lines go in after the last line of a collection and come out again."""

from __future__ import annotations

import json
from typing import Any, Optional

from stash_client.wiring.edits import Entry, NotSure, Ours, Path, Splice, gone
from stash_client.wiring.yaml.parsing import Child, Node, parse, value_of

_UNIT = 2


def insert(text: str, entry: Entry) -> list[Splice]:
    """An item at the end of a list, with the mappings above it where they are missing. Raises NotSure."""
    if entry.key is not None:
        raise NotSure("only lists grow")
    place, missing = parse(text), list(entry.path)
    owner: Optional[Child] = None
    while missing:
        child = next((c for c in place.children if place.kind == "mapping" and c.key == missing[0]), None)
        if child is None:
            break
        owner, place = child, child.value
        missing.pop(0)
    wanted = "mapping" if missing else "list"
    if place.kind == "empty" and owner is not None:
        return _fill(text, owner, missing, entry.value)
    if place.kind != wanted:
        raise NotSure(f"{'.'.join(entry.path)} holds something else")
    return [_append(text, place.end, _rendered(missing, entry.value, place.indent), place)]


def removal(text: str, ours: Ours) -> list[Splice]:
    """The splices that take out one thing of ours, none when there is nothing left."""
    found = _first_gone(parse(text), ours, ())
    if not found:
        return []
    node, child = found
    if node.kind == "list" and "- " in text[child.start : child.end] and _shares_line(node, child, text):
        raise NotSure("our item shares its line with another list")
    return [Splice(child.start, child.end, "")]


def _rendered(missing: list[str], value: Any, indent: int) -> list[str]:
    lines, depth = [], indent
    for name in missing:
        lines.append(" " * depth + name + ":")
        depth += _UNIT
    return lines + _item(value, depth)


def _item(value: dict[str, Any], indent: int) -> list[str]:
    pairs = [f"{key}: {json.dumps(v, ensure_ascii=False)}" for key, v in value.items()]
    return [" " * indent + ("- " if n == 0 else "  ") + pair for n, pair in enumerate(pairs)]


def _append(text: str, at: int, lines: list[str], place: Node) -> Splice:
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    whole = newline.join(lines)
    if at and not text[:at].endswith("\n") and text[:at].strip("\ufeff"):
        return Splice(at, at, newline + whole)
    return Splice(at, at, whole + newline)


def _fill(text: str, owner: Child, missing: list[str], value: Any) -> list[Splice]:
    """Below a key that has nothing, ``{}`` or ``[]``."""
    lines = _rendered(missing, value, owner.value.indent + _UNIT)
    splices = [_append(text, owner.end, lines, owner.value)]
    if owner.value.scalar:
        splices.append(Splice(owner.value.start, owner.value.end, ""))
    return splices


def _first_gone(node: Node, ours: Ours, path: Path) -> Optional[tuple[Node, Child]]:
    for child in node.children:
        below = (*path, child.key or "*")
        if gone(value_of(child.value), ours, below):
            return node, child
        if found := _first_gone(child.value, ours, below):
            return found
    return None


def _shares_line(node: Node, child: Child, text: str) -> bool:
    return text[child.start : child.start + node.indent].strip(" ") != ""
