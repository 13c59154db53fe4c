"""Who already dealt with something, and what came of it: the answer of a colleague who was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from accounts.models import User
from stash.actors import Actor
from stash.recall.conclusions import Ending, ending_of
from stash.recall.deadends import dead_ends
from stash.recall.searching import Answer, Hit, people_named, search
from stash.search.queries import understand
from stash.search.tokens import query_tokens

_ASKING = frozenset(
    stem
    for word in ("conclude", "concluded", "conclusion", "decide", "decided", "decision", "figure", "learn", "learned")
    for stem in query_tokens(word)
)
"""Words that ask for how something ended, and say nothing of what."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A session in which it was dealt with. ``matches``: events that fit; ``failed``: what was tried in vain."""

    hit: Hit
    ending: Ending
    matches: int
    failed: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Colleague:
    """``named``: the question names this person."""

    person: User
    episodes: Sequence[Episode]
    named: bool


@dataclass(frozen=True, slots=True)
class History:
    people: Sequence[Colleague] = ()
    note: str = ""
    ignored: Sequence[str] = ()


def history(actor: Actor, typed: str, *, filters: Mapping[str, str] | None = None, limit: int = 8) -> History:
    """Whom the question names, that person's sessions are looked at; if they have nothing, everybody's."""
    named = people_named(actor, query_tokens(understand(typed).text))
    about = _without_names(actor, typed) if named else _about(typed)
    answer = Answer()
    if named:
        answer = search(actor, about, filters=filters, limit=limit, among=Q(person_id__in=named))
    if not answer.hits:
        answer = search(actor, about or typed, filters=filters, limit=limit)
    colleagues = [
        Colleague(episodes[0].hit.session.person, episodes, episodes[0].hit.session.person_id in named)
        for episodes in _by_person(_episodes(actor, answer))
    ]
    note = answer.note if not answer.hits else _note(named, colleagues)
    return History(sorted(colleagues, key=lambda one: not one.named), note, answer.ignored)


def _note(named: object, colleagues: Sequence[Colleague]) -> str:
    if named and not any(one.named for one in colleagues):
        return "Nothing of the person named; this is what others did."
    return ""


def _about(typed: str) -> str:
    kept = [word for word in typed.split() if not (tokens := query_tokens(word)) or not _ASKING.issuperset(tokens)]
    return " ".join(kept)


def _without_names(actor: Actor, typed: str) -> str:
    words = _about(typed).split()
    return " ".join(word for word in words if not (found := query_tokens(word)) or not people_named(actor, found))


def _episodes(actor: Actor, answer: Answer) -> list[Episode]:
    places = [(hit.session.pk, unit.event.number) for hit in answer.hits for unit in hit.units]
    known = dead_ends(actor, places)
    return [
        Episode(
            hit,
            ending_of(hit, answer.words),
            len(answer.found.get(hit.session.pk, ())),
            [known[place] for unit in hit.units if (place := (hit.session.pk, unit.event.number)) in known],
        )
        for hit in answer.hits
    ]


def _by_person(episodes: Sequence[Episode]) -> list[list[Episode]]:
    people: dict[object, list[Episode]] = {}
    for episode in episodes:
        people.setdefault(episode.hit.session.person_id, []).append(episode)
    return list(people.values())
