"""Single values of YAML: quoted texts, also over several lines, plain ones, and short collections on one line."""

from __future__ import annotations

import re
from typing import Any, Optional

DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
SINGLE = re.compile(r"'((?:[^']|'')*)'")
PLAIN = re.compile(r"[^\s\[\]{},&*#?|<>=!%@`\"':-](?:(?!: |:$| #)[^\t])*|-(?![ -])(?:(?!: |:$| #)[^\t\s])+")
MORE = re.compile(r"[^\s\[\]{},&*#?|<>=!%@`\"':-](?:(?!: |:$| #)[^\t])*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", " ": " ",
    '"': '"', "/": "/", "\\": "\\",
}  # fmt: skip
_FOLD = re.compile(r"[ \t]*(\r?\n[ \t]*)+")
_FLOW_PLAIN = re.compile(r"[A-Za-z0-9_./+~][\w./+~]*(?:[ -]+[\w./+~]+)*")
_FLOW_KEY = re.compile(r"([A-Za-z_][\w-]*): +")


def quoted(text: str, at: int) -> Optional[tuple[str, int]]:
    """The text that is quoted there and where it ends; None where it does not, or holds an escape unknown."""
    if text[at] == "'":
        match = SINGLE.match(text, at)
        return (_FOLD.sub(" ", match.group(1)).replace("''", "'"), match.end()) if match else None
    match = DOUBLE.match(text, at)
    if match is None:
        return None
    folded = _FOLD.sub(" ", re.sub(r"\\\r?\n[ \t]*", "", match.group(1)))
    if any(m.group(4) and m.group(4) not in _ESCAPED for m in _ESCAPE.finditer(folded)):
        return None
    try:
        return _ESCAPE.sub(_unescaped, folded), match.end()
    except (ValueError, OverflowError):
        return None


def _unescaped(match: re.Match[str]) -> str:
    number = match.group(1) or match.group(2) or match.group(3)
    return chr(int(number, 16)) if number else _ESCAPED[match.group(4)]


def flow(body: str) -> Optional[tuple[Any, int]]:
    """A list or mapping of single values on one line, and its length; None where it is more than that."""
    close = "]" if body[0] == "[" else "}"
    made: Any = [] if close == "]" else {}
    at = _after_blanks(body, 1)
    while body[at : at + 1] != close:
        key = _FLOW_KEY.match(body, at) if close == "}" else None
        if close == "}" and (key is None or key.group(1) in made):
            return None
        item = _flow_item(body, key.end() if key else at)
        if item is None:
            return None
        value, at = item
        if key:
            made[key.group(1)] = value
        else:
            made.append(value)
        at = _after_blanks(body, at)
        if body[at : at + 1] == ",":
            at = _after_blanks(body, at + 1)
        elif body[at : at + 1] != close:
            return None
    return made, at + 1


def _flow_item(body: str, at: int) -> Optional[tuple[str, int]]:
    if body[at : at + 1] in ('"', "'"):
        return quoted(body, at)
    match = _FLOW_PLAIN.match(body, at)
    return (match.group(), match.end()) if match else None


def _after_blanks(body: str, at: int) -> int:
    return at + len(body[at:]) - len(body[at:].lstrip(" "))
