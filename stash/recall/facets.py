"""What an answer can be narrowed to, with counts of what the search looked at, which is bounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from sessions_app.models import Event, Session
from stash.actors import Actor
from stash.recall.searching import Answer, search
from stash.search.dates import moment
from stash_client.harnesses import HARNESSES

FACETS = ("kind", "by", "project", "harness", "since")
_TITLES = {"kind": "Where it was said", "by": "Person", "project": "Project", "harness": "Agent", "since": "When"}
_KINDS = {"prompt": "Prompt", "reply": "Reply", "command": "Command", "edit": "Edit", "read": "Read",
          "tool": "Other tool", "agent": "Subagent", "failure": "Failed"}  # fmt: skip
_SINCE = {"today": "Today", "7d": "Last 7 days", "30d": "Last 30 days", "365d": "Last year"}
_BY_FAMILY = {"shell": "command", "edit": "edit", "read": "read"}
_MOST_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """``single``: one value at most. ``counts``: what the numbers count."""

    name: str
    title: str
    options: Sequence[Option]
    single: bool = False
    counts: str = "sessions"

    @property
    def chosen(self) -> list[Option]:
        return [option for option in self.options if option.chosen]


@dataclass(frozen=True, slots=True)
class _Unit:
    """An event that fits, with its values in every facet."""

    session: UUID
    values: Mapping[str, frozenset[str]]


def facets(actor: Actor, typed: str, chosen: Mapping[str, Sequence[str]], answer: Answer) -> list[Facet]:
    """Each facet counts under the choices made in the others, so that one sees what choosing more would give.

    ``answer``: what the question gave under all choices; without choices nothing is searched again.
    """
    wide = search(actor, typed, limit=0) if any(chosen.values()) else answer
    found = wide.found or answer.found
    units, labels = _units(found)
    return [_facet(name, units, chosen, labels.get(name, {})) for name in FACETS]


def _units(found: Mapping[UUID, Sequence[int]]) -> tuple[list[_Unit], dict[str, dict[str, str]]]:
    """Two queries, over the sessions and the events that the search found."""
    rows = Session.objects.filter(pk__in=list(found)).select_related("person", "project")
    sessions = {session.pk: session for session in rows}
    labels: dict[str, dict[str, str]] = {"by": {}, "project": {}, "harness": {}}
    for session in sessions.values():
        labels["by"][session.person.username] = session.person.display_name
        labels["harness"][session.harness] = getattr(HARNESSES.get(session.harness), "label", session.harness)
        if session.project:
            labels["project"][session.project.slug] = session.project.name
    starts = {value: start for value in _SINCE if (start := moment(value, timezone.now()))}
    ids = [pk for keys in found.values() for pk in keys]
    events = Event.objects.filter(pk__in=ids).values_list("session_id", "kind", "family", "ok", "occurred_at")
    return [_unit(sessions[row[0]], row, starts) for row in events if row[0] in sessions], labels


def _unit(session: Session, row: tuple[UUID, str, str, bool | None, datetime], starts: Mapping[str, datetime]) -> _Unit:
    _, kind, family, ok, at = row
    kinds = {"agent" if kind == "subagent" else _BY_FAMILY.get(family, "tool") if kind == "tool_call" else kind}
    values = {
        "kind": frozenset(kinds | ({"failure"} if ok is False else set())),
        "by": frozenset([session.person.username]),
        "project": frozenset([session.project.slug] if session.project else []),
        "harness": frozenset([session.harness]),
        "since": frozenset(value for value, start in starts.items() if at >= start),
    }
    return _Unit(session.pk, values)


def _facet(name: str, units: Iterable[_Unit], chosen: Mapping[str, Sequence[str]], labels: Mapping[str, str]) -> Facet:
    others = {one: set(values) for one, values in chosen.items() if one != name and values}
    fitting = [unit for unit in units if all(unit.values[one] & values for one, values in others.items())]
    counted: dict[str, set[object]] = {}
    for place, unit in enumerate(fitting):
        for value in unit.values[name]:
            counted.setdefault(value, set()).add(place if name == "kind" else unit.session)
    fixed = {"kind": _KINDS, "since": _SINCE}.get(name)
    mine = list(chosen.get(name, ()))
    known = list(fixed) if fixed else sorted(counted, key=lambda value: (-len(counted[value]), value))[:_MOST_OPTIONS]
    values = [*known, *(value for value in mine if value not in known)]
    options = [
        Option(value, (fixed or labels).get(value, value), len(counted.get(value, ())), value in mine)
        for value in values
        if counted.get(value) or value in mine
    ]
    return Facet(
        name, _TITLES[name], options, single=name == "since", counts="events" if name == "kind" else "sessions"
    )
