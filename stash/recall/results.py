"""Answers as pages show them: each hit with who, when, which agent, why, and links to the very event."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from sessions_app.models import Event, Session
from stash.actors import Actor
from stash.recall.conclusions import Ending, ending_of
from stash.recall.deadends import Place, dead_ends
from stash.recall.searching import Answer, Found, Hit, heading
from stash.search.passages import Passage

_KINDS = {"prompt": "Prompt", "reply": "Reply", "subagent": "Subagent"}
_FAMILIES = {"shell": "Command", "edit": "Edit", "read": "Read", "search": "Search", "web": "Web"}
_MOST_ENDINGS = 3
_FITS = 0.4
_SAYS = ("prompt", "reply", "subagent")


@dataclass(frozen=True, slots=True)
class Line:
    """One passage. ``machine``: a machine said it; ``dead_end``: what is known to have failed there."""

    kind: str
    number: int
    url: str
    passage: Passage
    machine: bool = False
    failed: bool = False
    dead_end: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """``concluded``: how it ended, where the question names its person."""

    session: Session
    title: str
    url: str
    lines: Sequence[Line]
    more: int
    why: str
    concluded: Sequence[Line] = ()
    left_open: Sequence[Line] = ()


def rows_of(actor: Actor, answer: Answer) -> list[Row]:
    places = [(hit.session.pk, unit.event.number) for hit in answer.hits for unit in hit.units]
    known = dead_ends(actor, places)
    named = [hit.session.pk for hit in answer.hits if hit.session.person_id in answer.authors][:_MOST_ENDINGS]
    endings = {hit.session.pk: ending_of(hit, answer.words) for hit in answer.hits if hit.session.pk in named}
    hits = _named_first(answer)
    return [_row(actor, hit, known, endings.get(hit.session.pk, Ending()), answer.authors) for hit in hits]


def _named_first(answer: Answer) -> Sequence[Hit]:
    """Who asks for a person by name reads that person's sessions first, unless they hardly fit."""
    best = max((hit.score for hit in answer.hits), default=0.0)
    return sorted(answer.hits, key=lambda hit: hit.session.person_id not in answer.authors or hit.score < best * _FITS)


def _row(actor: Actor, hit: Hit, known: Mapping[Place, str], ending: Ending, authors: Collection[object]) -> Row:
    session = hit.session
    base = reverse("sessions:detail", kwargs={"team": actor.team_slug, "session_id": session.pk})
    concluded = [Line("Concluded", one.number, _at(base, one.number), one.passage) for one in ending.conclusions[:1]]
    said = {line.number for line in concluded}
    return Row(
        session,
        heading(hit),
        _at(base, hit.units[0].event.number),
        [line for line in lines_of(base, hit, known) if line.number not in said],
        hit.more,
        " · ".join(filter(None, ["by whom you named" if session.person_id in authors else "", _why(hit.units[0])])),
        concluded,
        [Line("Still open", one.number, _at(base, one.number), one.passage) for one in ending.open[:2]],
    )


def lines_of(base: str, hit: Hit, known: Mapping[Place, str]) -> list[Line]:
    return [
        Line(
            kind_of(unit.event),
            unit.event.number,
            _at(base, unit.event.number),
            unit.passage,
            machine=unit.event.kind not in _SAYS,
            failed=unit.event.ok is False,
            dead_end=known.get((hit.session.pk, unit.event.number), ""),
            why=_why(unit),
        )
        for unit in hit.units
    ]


def _at(base: str, number: int) -> str:
    return f"{base}?at={number}#e{number}"


def kind_of(event: Event) -> str:
    if event.kind == "tool_call":
        return _FAMILIES.get(event.family, "Tool")
    return _KINDS.get(event.kind, event.kind.capitalize())


def _why(unit: Found) -> str:
    places = [f"{_nth(place)} by {by}" for place, by in ((unit.rank, "words"), (unit.likeness, "meaning")) if place]
    return ", ".join(places)


def _nth(place: int) -> str:
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
