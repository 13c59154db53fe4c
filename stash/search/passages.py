"""The passage of a text that answers, with the words that were looked for marked; safe to show."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from django.utils.html import escape

from stash.search.tokens import run_around, spans

_MOST_LOOKED_AT = 20_000
_LENGTH = 240
_LEAD = 40


@dataclass(frozen=True, slots=True)
class Passage:
    """Pieces in order, each marked or not. ``words``: which words of the question stand in the whole text."""

    pieces: tuple[tuple[str, bool], ...] = ()
    words: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.pieces)

    @property
    def html(self) -> str:
        """Escaped, the found words in ``<mark>``."""
        return "".join(
            f"<mark>{escape(piece)}</mark>" if marked else str(escape(piece)) for piece, marked in self.pieces
        )


def passage(text: str, words: Collection[str], *, length: int = _LENGTH) -> Passage:
    """About ``length`` characters where most different words stand together; the beginning where none does."""
    text = text[:_MOST_LOOKED_AT]
    wanted = frozenset(words)
    hits = (text.isascii() and _likely(text, wanted)) or _all(text, wanted)
    first = _densest(hits, length)
    start = max(0, hits[first][0] - _LEAD) if hits else 0
    if start:  # not in the middle of a word
        space = text.find(" ", start, hits[first][0])
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + length)
    pieces = _pieces(text, start, end, [(a, b) for a, b, _ in hits if a >= start and b <= end])
    return Passage(tuple(pieces), frozenset().union(*(found for _, _, found in hits)))


Hit = tuple[int, int, frozenset[str]]


def _all(text: str, wanted: frozenset[str]) -> list[Hit]:
    return [(start, end, wanted.intersection(said)) for start, end, said in spans(text) if not wanted.isdisjoint(said)]


def _likely(text: str, wanted: frozenset[str]) -> list[Hit]:
    """Where the beginnings of the words stand: most runs of a text need not be looked at. Joined words are missed."""
    beginnings = sorted((re.escape(word[:-1] if len(word) > 3 else word) for word in wanted), key=len, reverse=True)
    if not beginnings:
        return []
    hits: list[Hit] = []
    last = 0
    for match in re.finditer("|".join(beginnings), text, re.IGNORECASE):
        if match.start() < last:
            continue
        start, last = run_around(text, match.start())
        hits += ((start + a, start + b, found) for a, b, found in _all(text[start:last], wanted))
    return hits


def _densest(hits: list[Hit], length: int) -> int:
    """The hit from which on the most different words stand within ``length`` characters."""
    best, most = 0, 0
    for at, (start, _, _) in enumerate(hits):
        near: set[str] = set()
        for _, end, found in hits[at : at + 60]:
            if end - start > length - _LEAD:
                break
            near |= found
        if len(near) > most:
            best, most = at, len(near)
    return best


def _pieces(text: str, start: int, end: int, marks: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = [("…", False)] if start else []
    at = start
    for first, last in _joined(marks):
        if first > at:
            pieces.append((text[at:first], False))
        pieces.append((text[first:last], True))
        at = last
    if at < end:
        pieces.append((text[at:end], False))
    return [*pieces, ("…", False)] if end < len(text) else pieces


def _joined(marks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last in marks:
        if joined and first < joined[-1][1]:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined
