"""Units that may answer a question, each with how well its words fit; only of what the actor may see."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sessions_app.models import Event
from stash.actors import Actor
from stash.recall.indexer import KIND
from stash.recall.narrowing import Narrowing
from stash.search import ranking
from stash.search.models import Source
from stash.search.postings import MOST_UNITS, key_of
from stash.search.reading import Reader, Term
from stash.search.vocabulary import similar

MOST = 400
"""Units that are looked at closely, before their neighbours."""
MOST_WORDS = 32
_ENOUGH = 200
_TYPO = 0.7
_SHORTEST_TYPO = 4

Meaning = Callable[[str, int], Mapping[int, float]]
"""Units that mean something like a text, by key, with their likeness from 0 to 1. At most so many; none if unknown."""


def no_meaning(text: str, most: int) -> Mapping[int, float]:
    """Words alone decide."""
    return {}


class Facts(NamedTuple):
    """Of a session that may be shown."""

    person: UUID
    project: UUID | None
    harness: str
    started_at: datetime
    last_event_at: datetime


class Happened(NamedTuple):
    """Where a unit is, and what kind of thing it is."""

    event: int
    session: UUID
    kind: str = ""
    family: str = ""


@dataclass
class Candidates:
    """``lexical``: 0 to 1 by key, ``coverage``: how much of the question the best one answers.

    ``holding``: units that can be shown, because they hold a word or the meaning themselves; the others only stand
    beside one, and count for their session.
    """

    terms: list[Term] = field(default_factory=list)
    lexical: dict[int, float] = field(default_factory=dict)
    meaning: dict[int, float] = field(default_factory=dict)
    coverage: float = 0.0
    holding: set[int] = field(default_factory=set)
    sessions: dict[UUID, Facts] = field(default_factory=dict)
    where: dict[int, Happened] = field(default_factory=dict)


def terms_of(reader: Reader, words: Sequence[str], *, typos: bool) -> list[Term]:
    """The words where they stand; one that stands nowhere is replaced by the nearest ones that do."""
    terms = [Term(word) for word in words[:MOST_WORDS]]
    reader.read(terms)
    if not typos:
        return terms
    missing = [term for term in terms if not term.df and len(term.word) >= _SHORTEST_TYPO]
    for term in missing[:4]:
        others = [Term(word, _TYPO) for word in similar(term.word)]
        reader.read(others)
        if others := [other for other in others if other.df]:
            terms.remove(term)
            terms += others
    return terms


def candidates(
    actor: Actor,
    words: Sequence[str],
    text: str,
    narrowed: Narrowing,
    *,
    weights: ranking.Weights,
    typos: bool = True,
    meaning: Meaning = no_meaning,
    most: int = MOST,
) -> Candidates:
    reader = Reader()
    found = Candidates(terms=terms_of(reader, words, typos=typos))
    own = ranking.own_scores(found.terms, reader.statistics)
    like = meaning(text, most)
    keys, sources = _seen(actor, narrowed, own, like, found, most)
    near = {one for key in keys for one in (key - 1, key, key + 1) if one // MOST_UNITS == key // MOST_UNITS}
    lengths = {source.pk: bytes(source.lengths) for source in sources.values()}
    window = ranking.window_scores(near, found.terms, lengths, reader.statistics)
    found.lexical = _mixed({key: own.get(key, 0.0) for key in near}, window, weights)
    found.coverage = ranking.coverage(max(window.values(), default=0.0), found.terms, reader.statistics)
    found.meaning = {key: like[key] for key in near if key in like}
    found.holding = {key for key in near if key in own or key in found.meaning}
    found.where = _happened(found.lexical.keys() | found.meaning.keys(), sources, narrowed)
    return found


def _mixed(own: Mapping[int, float], window: Mapping[int, float], weights: ranking.Weights) -> dict[int, float]:
    most_own, most_window = max(own.values(), default=0.0), max(window.values(), default=0.0)
    if not most_window:
        return {}
    scale = weights.own + weights.window
    return {
        key: (weights.own * own[key] / (most_own or 1.0) + weights.window * score / most_window) / scale
        for key, score in window.items()
        if score > 0
    }


def _seen(
    actor: Actor,
    narrowed: Narrowing,
    own: Mapping[int, float],
    like: Mapping[int, float],
    found: Candidates,
    most: int,
) -> tuple[set[int], dict[int, Source]]:
    """The best units among those the actor may see. What is seen by few is looked for among their sources only."""
    if not narrowed.sessions:
        keys = {*ranking.best(own, most), *like}
        sources = _sources(key // MOST_UNITS for key in keys)
        found.sessions = _facts(narrowed.visible(actor).filter(pk__in=[one.ref for one in sources.values()]))
        sources = {number: one for number, one in sources.items() if one.ref in found.sessions}
        seen = {key for key in keys if key // MOST_UNITS in sources}
        if len(seen) >= _ENOUGH or len(own) <= most:
            return seen, sources
    visible = narrowed.visible(actor)
    mine = set(Source.objects.filter(kind=KIND, ref__in=visible.values("pk")).values_list("pk", flat=True))
    own = {key: score for key, score in own.items() if key // MOST_UNITS in mine}
    keys = {*ranking.best(own, most), *(key for key in like if key // MOST_UNITS in mine)}
    sources = _sources(key // MOST_UNITS for key in keys)
    found.sessions = _facts(visible.filter(pk__in=[one.ref for one in sources.values()]))
    return keys, {number: one for number, one in sources.items() if one.ref in found.sessions}


def _sources(numbers: Iterable[int]) -> dict[int, Source]:
    return {one.pk: one for one in Source.objects.filter(kind=KIND, pk__in=set(numbers))}


def _facts(sessions: object) -> dict[UUID, Facts]:
    rows = sessions.values_list("pk", "person_id", "project_id", "harness", "started_at", "last_event_at")  # type: ignore[attr-defined]
    return {pk: Facts(*rest) for pk, *rest in rows}


def _happened(keys: Iterable[int], sources: Mapping[int, Source], narrowed: Narrowing) -> dict[int, Happened]:
    """The live rows of units: what is gone, or filtered out, is not among them."""
    units = {number: array("Q", bytes(source.units)) for number, source in sources.items()}
    by_event: dict[int, int] = {}
    for key in keys:
        known = units.get(key // MOST_UNITS)
        if known is not None and key % MOST_UNITS < len(known):
            by_event[known[key % MOST_UNITS]] = key
    rows = Event.objects.filter(pk__in=list(by_event))
    for condition in narrowed.events:
        rows = rows.filter(condition)
    alive = rows.values_list("pk", "kind", "family")
    return {(key := by_event[pk]): Happened(pk, sources[key // MOST_UNITS].ref, *kind) for pk, *kind in alive}


def newest(actor: Actor, narrowed: Narrowing, most: int = 60) -> Candidates:
    """Where nothing but filters was asked for: what happened last."""
    found = Candidates(coverage=1.0)
    visible = narrowed.visible(actor).order_by("-last_event_at", "-pk")
    found.sessions = _facts(visible[:most])
    rows = Event.objects.filter(session_id__in=list(found.sessions))
    rows = rows.filter(kind="prompt") if not narrowed.events else rows.filter(kind__in=("prompt", "reply", "tool_call"))
    for condition in narrowed.events:
        rows = rows.filter(condition)
    latest = list(rows.order_by("-occurred_at", "-pk").values_list("pk", "session_id", "kind", "family")[:MOST])
    for place, row in enumerate(latest):
        key = key_of(0, place)
        found.where[key] = Happened(*row)
        found.lexical[key] = 1 / (1 + place)
        found.holding.add(key)
    return found
