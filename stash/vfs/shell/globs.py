"""Patterns of the shell (``*``, ``?``, ``[...]``) as regular expressions that take linear time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import re2

from stash.vfs.regex.engine import quiet
from stash.vfs.shell.grammar import Piece, Word
from stash.vfs.tree import Folder, Node, child, find, normal

_MAGIC = frozenset("*?[")
_CLASSES = frozenset("alpha digit alnum upper lower space blank punct print graph cntrl xdigit".split())  # noqa: SIM905


@lru_cache(maxsize=256)
def compiled(pattern: str, *, fold: bool = False, slashes: bool = True) -> Any:
    """Matches a whole name. ``slashes``: whether ``*`` and ``?`` also match ``/``."""
    return re2.compile(f"(?s)^(?:{translated(pattern, slashes=slashes)})$", quiet(fold=fold))


def matches(pattern: str, name: str, *, fold: bool = False) -> bool:
    try:
        return compiled(pattern, fold=fold).search(name) is not None
    except re2.error:
        return False


def translated(pattern: str, *, slashes: bool = True) -> str:
    """As fnmatch(3) reads it: a backslash takes the next character's meaning away."""
    out, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            deep = not slashes and pattern.startswith("*", at)
            at += deep
            if deep and pattern.startswith("/", at):
                out, at = out + "(?:.*/)?", at + 1
            else:
                out += ".*" if slashes or deep else "[^/]*"
        elif char == "?":
            out += "." if slashes else "[^/]"
        elif char == "[" and (closed := bracket(pattern, at)):
            text, at = closed
            out += text
        elif char == "\\" and at < len(pattern):
            out += re2.escape(pattern[at])
            at += 1
        else:
            out += re2.escape(char)
    return out


def bracket(pattern: str, at: int, *, escapes: bool = True) -> tuple[str, int] | None:
    """(the class, where it ends) for what follows a ``[``; None when it is never closed."""
    start, out = at, "["
    if at < len(pattern) and pattern[at] in "!^":
        out, at = "[^", at + 1
    first = at
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        if pattern.startswith("[:", at) and (end := pattern.find(":]", at)) > 0 and pattern[at + 2 : end] in _CLASSES:
            out += pattern[at : end + 2]
            at = end + 2
            continue
        if escapes and pattern[at] == "\\" and at + 1 < len(pattern):
            at += 1
        if pattern[at] == "-" and at not in (first, start) and pattern[at + 1 : at + 2] not in ("]", ""):
            out += "-"
        else:
            out += "\\" + pattern[at] if pattern[at] in "\\]^[-" else pattern[at]
        at += 1
    return (out + "]", at + 1) if at < len(pattern) else None


def as_pattern(word: Sequence[Piece], status: int) -> tuple[str, str, bool]:
    """(the word as text, as a pattern with quoted characters escaped, whether it has a wildcard)."""
    text = pattern = ""
    magic = False
    for piece in word:
        said = str(status) if piece.status else piece.text
        text += said
        if piece.quoted:
            pattern += "".join("\\" + c if c in "*?[]\\!-^" else c for c in said)
        else:
            pattern += said.replace("\\", "\\\\")
            magic |= bool(_MAGIC & set(said))
    return text, pattern, magic


def expand(word: Word, root: Folder, cwd: str, status: int) -> Iterator[str]:
    """The paths that match, in order; the word itself when none does or it is no pattern."""
    text, pattern, magic = as_pattern(word, status)
    found = False
    if magic:
        parts = [part for part in pattern.split("/") if part]
        lead = "/" if pattern.startswith("/") else ""
        while parts and parts[0] in (".", ".."):
            lead += parts.pop(0) + "/"
        base = _at(root, normal(lead, cwd))
        if base is not None and parts:
            folders_only = pattern.endswith("/")
            for path in _matching(base, parts, lead):
                found = True
                yield path + ("/" if folders_only else "")
    if not found:
        yield text


def _at(root: Folder, path: str) -> Folder | None:
    node = find(root, path)
    return node if isinstance(node, Folder) else None


def _matching(folder: Node, parts: Sequence[str], lead: str) -> Iterator[str]:
    if not isinstance(folder, Folder):
        return
    part, rest = parts[0], parts[1:]
    literal = literal_of(part)
    if literal is not None:
        nodes = _literally(folder, literal)
    else:
        hidden = part.startswith((".", "\\."))
        nodes = (
            (node.name, node)
            for node in folder.entries(prefix_of(part))
            if matches(part, node.name) and (hidden or not node.name.startswith("."))
        )
    for name, node in nodes:
        folder.known.setdefault(name, node)
        if rest:
            yield from _matching(node, rest, f"{lead}{name}/")
        else:
            yield f"{lead}{name}"


def _literally(folder: Folder, name: str) -> Iterator[tuple[str, Node]]:
    if name == ".":
        yield name, folder
    elif (node := child(folder, name)) is not None:
        yield name, node


def literal_of(part: str) -> str | None:
    """The name a pattern stands for, when it has no wildcard."""
    out, at = "", 0
    while at < len(part):
        if part[at] in _MAGIC:
            return None
        if part[at] == "\\" and at + 1 < len(part):
            at += 1
        out += part[at]
        at += 1
    return out


def prefix_of(part: str) -> str:
    """What every name that matches begins with."""
    out, at = "", 0
    while at < len(part) and part[at] not in _MAGIC:
        if part[at] == "\\" and at + 1 < len(part):
            at += 1
        out += part[at]
        at += 1
    return out
