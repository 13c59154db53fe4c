"""How well units fit a question: BM25 of the unit itself and of it with its neighbours, as ``Weights`` mixes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest

from stash.search.postings import LENGTH_BITS, LENGTHS, MOST_TIMES, MOST_UNITS
from stash.search.reading import Statistics, Term

_K1, _B = 1.2, 0.75
_MASK = (1 << LENGTH_BITS) - 1


@dataclass(frozen=True, slots=True)
class Weights:
    """``own`` and ``window`` are mixed by their best scores. ``covered``: the share of what the question could reach
    from which on its words count in full. ``meaning``: of the squared likeness of meaning."""

    own: float = 0.5
    window: float = 1.0
    covered: float = 0.5
    meaning: float = 0.75
    date: float = 1.0
    date_of_unit: float = 0.6
    author: float = 1.2


def idf(units: float, df: float) -> float:
    return math.log(1 + (units - df + 0.5) / (df + 0.5)) if units >= df else 0.01


def saturation(times: float, length: float, average: float) -> float:
    return times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / average))


@lru_cache(maxsize=8)
def _table(average: int) -> list[float]:
    """What a posting's low bits are worth."""
    return [
        saturation(low >> LENGTH_BITS, LENGTHS[low & _MASK], average) for low in range((MOST_TIMES + 1) << LENGTH_BITS)
    ]


def own_scores(terms: Iterable[Term], about: Statistics) -> dict[int, float]:
    worth = _table(max(1, round(about.length)))
    scores: dict[int, float] = {}
    for term in terms:
        factor = term.weight * idf(about.units, term.df)
        if not scores:
            scores = {key: factor * worth[low] for key, low in term.where.items()}
            continue
        known = scores.get
        for key, low in term.where.items():
            scores[key] = known(key, 0.0) + factor * worth[low]
    return scores


def best(scores: Mapping[int, float], most: int) -> list[int]:
    """The keys of the highest scores, in no order; ties at the edge are left out or kept together by key."""
    if len(scores) <= most:
        return list(scores)
    edge = nlargest(most, scores.values())[-1]
    above = [key for key, score in scores.items() if score > edge]
    return above + sorted((key for key, score in scores.items() if score == edge), reverse=True)[: most - len(above)]


def window_scores(
    keys: Iterable[int], terms: Sequence[Term], lengths: Mapping[int, bytes], about: Statistics
) -> dict[int, float]:
    """Of units taken together with the one before and the one after; ``lengths`` by source."""
    average = 3 * about.length
    factors = []
    for term in terms:
        near = about.units * (1 - (1 - min(1.0, term.df / max(1, about.units))) ** 3)
        factors.append((term.where, term.weight * idf(about.units, near)))
    scores = {}
    for key in keys:
        codes = lengths.get(key // MOST_UNITS)
        place = key % MOST_UNITS
        if codes is None or place >= len(codes):
            continue
        around = [key + step for step in (-1, 0, 1) if 0 <= place + step < len(codes)]
        length = sum(LENGTHS[codes[one % MOST_UNITS]] for one in around)
        score = 0.0
        for where, factor in factors:
            times = 0
            for one in around:
                if (low := where.get(one)) is not None:
                    times += low >> LENGTH_BITS
            if times:
                score += factor * saturation(times, length, average)
        scores[key] = score
    return scores


def coverage(best_score: float, terms: Sequence[Term], about: Statistics) -> float:
    """The best score beside what a unit with all the words could reach; absent words count as what is missing."""
    reachable = (_K1 + 1) * sum(idf(about.units, term.df) for term in terms)
    return best_score / reachable if reachable else 0.0


def grouped_score(scores: Iterable[float]) -> float:
    """Of a source: its five best units, each counting less than the one before."""
    return sum(score / place for place, score in enumerate(sorted(scores, reverse=True)[:5], 1))
