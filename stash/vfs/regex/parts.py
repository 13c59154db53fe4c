"""A pattern as a row of parts, so that it can be written in more than one way.

RE2 knows words of ASCII only. Where a line has other letters and the pattern asks for word boundaries, a mark is put
into the line at each boundary, and the pattern is written so that every character may have a mark before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stash.vfs.errors import Failure

MARK = "\ufdd0"
"""A code point that no text has: it is reserved for uses like this one."""


@dataclass(frozen=True, slots=True)
class Part:
    """``kind``: atom (one character; ``text`` in RE2's words), any (``.``), edge (``\\b``), inside (``\\B``), end
    (``$``), or glue (groups, anchors, alternatives, repetitions)."""

    kind: str
    text: str


def plain(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts)


def without_edges(parts: Sequence[Part]) -> str:
    """Matches at least what the pattern does, whatever a word is."""
    return "".join("(?:)" if part.kind in ("edge", "inside") else part.text for part in parts)


def marked(parts: Sequence[Part]) -> str:
    return "".join(_marked(part) for part in parts)


def _marked(part: Part) -> str:
    match part.kind:
        case "atom":
            return f"(?:{MARK}?{part.text})"
        case "any":
            return f"(?:{MARK}?[^\\n{MARK}])"
        case "edge":
            return MARK
        case "end":
            return f"{MARK}?$"
        case "inside":
            raise Failure("\\B: not known here in lines with letters beyond ASCII", 2)
    return part.text


def has_edges(parts: Sequence[Part]) -> bool:
    return any(part.kind in ("edge", "inside") for part in parts)


def atom(char: str) -> Part:
    """A character that stands for itself."""
    return Part("atom", "\\" + char if char in "\\.+*?()|[]{}^$" else _written(char))


def _written(char: str) -> str:
    return char if char.isprintable() else f"\\x{{{ord(char):x}}}"


def in_class(char: str) -> str:
    """A character inside brackets."""
    return "\\" + char if char in "\\]^[-&~" and char.isascii() else _written(char)
