"""From bytes to JSON, as agents on every system really send it."""

from __future__ import annotations

import json
import math
import re

from stash_client.events import JSON


class Empty(ValueError):
    """Nothing but byte-order marks and white space."""


class Unreadable(ValueError):
    """Not JSON, and not repairable; ``text`` is what arrived."""

    def __init__(self, text: str) -> None:
        super().__init__("not readable as JSON")
        self.text = text


def decode(payload: bytes) -> JSON:
    """The value in ``payload``: UTF-8 with any run of BOMs dropped, invalid bytes replaced, lone surrogates kept.

    Backslashes of Windows paths that were not escaped are repaired. Raises ``Empty`` or ``Unreadable``.
    """
    text = payload.decode("utf-8", "replace").lstrip("\ufeff \t\r\n").rstrip("\0 \t\r\n")
    if not text:
        raise Empty
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _loads(_STRING.sub(_repair_string, text))
    except (ValueError, RecursionError):
        raise Unreadable(text) from None


def _loads(text: str) -> JSON:
    return json.loads(text, strict=False, parse_constant=str, parse_float=_finite)


def _finite(text: str) -> JSON:
    """A number, or its text where it does not fit a double: databases refuse infinity."""
    number = float(text)
    return number if math.isfinite(number) else text


# An unclosed string goes on to the end: else every quote in it would be tried again.
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_VALID = frozenset('"\\/bfnrt')


def _repair_string(match: re.Match[str]) -> str:
    """Where one escape is impossible nobody escaped this string: then ``\\n`` in it is a path that goes on with n."""
    literal = match.group(0)
    escapes = _ESCAPE.findall(literal)
    if all(len(escape) == 5 or escape in _VALID for escape in escapes):
        return literal
    return _ESCAPE.sub(_taken_literally, literal)


def _taken_literally(escape: re.Match[str]) -> str:
    return escape.group(0) if escape.group(1) in ('"', "\\") else "\\\\" + escape.group(0)[1:]
