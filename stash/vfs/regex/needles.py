"""The letters that every match of a pattern contains, when there are any."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stash.vfs.regex.parts import Part

SHORTEST = 3
_PLAIN = re.compile(r"[A-Za-z0-9_./:=-]+", re.ASCII)
_COULD_BE_A_NUMBER = re.compile(r"[0-9A-Fa-f.:-]*", re.ASCII)
"""Dates, counts and code points: a transcript says some that no event holds."""


def needle_of(parts: Sequence[Part]) -> str:
    """The longest run of plain letters that must be there; empty when none is certain."""
    if _is_uncertain(parts):
        return ""
    runs = [text for run in _runs(parts) for text in _PLAIN.findall(run)]
    useful = [text for text in runs if len(text) >= SHORTEST and not _COULD_BE_A_NUMBER.fullmatch(text)]
    return max(useful, key=len, default="")


def _is_uncertain(parts: Sequence[Part]) -> bool:
    """Alternatives outside of groups, or flags, which change what letters mean."""
    depth = 0
    for part in parts:
        if part.kind != "glue":
            continue
        if (part.text == "|" and not depth) or (part.text.startswith("(?") and part.text != "(?:"):
            return True
        depth += (part.text == "(?:") - (part.text == ")")
    return False


def _runs(parts: Sequence[Part]) -> Iterator[str]:
    """Characters outside of groups that follow one another. What is optional is none of them."""
    depth, run = 0, ""
    for part in parts:
        if part.kind == "glue" and part.text[0] in "*?{" and not depth:
            yield run[:-1]
            run = ""
        elif not depth and part.kind == "atom" and (char := _char(part.text)):
            run += char
        else:
            yield run
            run = ""
        depth += (part.text == "(?:") - (part.text == ")" and part.kind == "glue")
    yield run


def _char(text: str) -> str:
    """The one character that an atom stands for, or nothing."""
    if len(text) == 1:
        return text
    return text[1] if len(text) == 2 and text[0] == "\\" else ""
