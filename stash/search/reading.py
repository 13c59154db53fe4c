"""Reads the postings of a question's words: a bounded number, the rarest words first, the newest units first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import and_, rshift

from stash.search.models import Page as PageRow
from stash.search.models import Segment
from stash.search.postings import LOW, LOW_BITS, Page
from stash.search.segments import hash_of, live_segments, page_id, page_number

BUDGET = 120_000
"""Postings that one question reads at most."""


@dataclass
class Term:
    """A word of a question. ``where``: low bits of its posting by unit; ``df``: in how many units it stands."""

    word: str
    weight: float = 1.0
    df: int = 0
    where: dict[int, int] = field(default_factory=dict)
    complete: bool = True


@dataclass(frozen=True)
class Statistics:
    units: int
    length: float


@dataclass
class _Found:
    term: Term
    places: list[tuple[Page, int]] = field(default_factory=list)


class Reader:
    """One consistent set of segments, asked for one question."""

    def __init__(self) -> None:
        self.segments: list[Segment] = live_segments()
        units = sum(segment.units for segment in self.segments)
        words = sum(segment.words for segment in self.segments)
        self.statistics = Statistics(units, words / units if units else 1.0)

    def read(self, terms: Sequence[Term], budget: int | None = None) -> None:
        """Fill in where each word stands."""
        found = self._find(terms)
        left = BUDGET if budget is None else budget
        for number, one in enumerate(sorted(found, key=lambda one: one.term.df)):
            left -= _take(one, max(left // (len(found) - number), 0))

    def _find(self, terms: Sequence[Term]) -> list[_Found]:
        wanted: dict[int, list[tuple[int, int]]] = {}
        for place, term in enumerate(terms):
            value = hash_of(term.word)
            for segment in self.segments:
                key = page_id(segment.pk, page_number(segment.page_bits, value))
                wanted.setdefault(key, []).append((place, value))
        found = [_Found(term) for term in terms]
        rows = dict(PageRow.objects.filter(id__in=list(wanted)).values_list("id", "data")) if wanted else {}
        for key, asked in wanted.items():  # oldest segment first
            if (data := rows.get(key)) is None:
                continue
            page = Page.of(bytes(data))
            for place, value in asked:
                if (at := page.find(value)) is not None:
                    found[place].places.append((page, at))
                    found[place].term.df += page.counts[at]
        return found


def _take(found: _Found, most: int) -> int:
    """Up to ``most`` postings of the newest; a later segment has the last word on a unit."""
    taken = []
    left = most
    for page, at in reversed(found.places):
        if left <= 0:
            found.term.complete = False
            break
        postings = page.newest(at, left)
        found.term.complete &= len(postings) == page.counts[at]
        taken.append(postings)
        left -= len(postings)
    where = found.term.where
    for postings in reversed(taken):
        where.update(zip(map(rshift, postings, repeat(LOW_BITS)), map(and_, postings, repeat(LOW)), strict=True))
    return most - left
