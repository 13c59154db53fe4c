"""Reads inside one session that was reached through its gate: windows in display order, changes in order of arrival."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from sessions_app.commands import command_in, program_of
from sessions_app.models import Event, Session, SessionFile
from sessions_app.rendering.text import one_line
from stash.access import gate

DISPLAY_ORDER = ("occurred_at", "n", "number")
_BACKWARDS = tuple(f"-{name}" for name in DISPLAY_ORDER)
MOST = 200
_MOST_HITS = 1000
_MOST_COMMANDS = 2000
_MOST_TURNS = 300

KIND_FILTERS: dict[str, Q] = {
    "prompts": Q(kind="prompt"),
    "replies": Q(kind="reply"),
    "edits": Q(kind="tool_call", family="edit"),
    "tools": Q(kind__in=("tool_call", "subagent")),
    "failures": Q(ok=False) | Q(kind="turn_end", body__reason="error"),
}
"""The chips of the find bar."""


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive events in display order; ``older``/``newer`` tell whether there are more on that side."""

    events: Sequence[Event]
    older: bool
    newer: bool


@dataclass(slots=True)
class Command:
    """Calls of one program in one session."""

    program: str
    times: int = 0
    failures: int = 0
    last: int = 0


@dataclass(slots=True)
class Turn:
    """From one prompt to the next."""

    number: int
    words: str
    at: datetime
    tools: int = 0
    failures: int = 0


@dataclass(slots=True)
class Commands:
    rows: list[Command] = field(default_factory=list)
    total: int = 0
    failures: int = 0
    capped: bool = False


def pages(session: Session, size: int = 100) -> Iterator[list[Event]]:
    """All events in display order; each page is a query of its own, so that a slow reader holds no cursor open."""
    found = Event.objects.filter(session=session).order_by(*DISPLAY_ORDER)
    page = list(found[:size])
    while page:
        yield page
        page = list(found.filter(_later(page[-1]))[:size]) if len(page) == size else []


def events_after(session: Session, seq: int, limit: int = 500, *, kinds: Sequence[str] = ()) -> list[Event]:
    """What arrived or was completed since ``seq``, in order of arrival: how every reader follows a session."""
    found = Event.objects.filter(session=session, seq__gt=seq)
    if kinds:
        found = found.filter(kind__in=kinds)
    return list(found.order_by("seq")[:limit])


def event_at(session: Session, number: int) -> Event:
    """Raises NotFound."""
    return gate(Event.objects.filter(session=session), number=number)


def events_window(
    session: Session,
    *,
    around: int | None = None,
    before: int | None = None,
    after: int | None = None,
    kinds: str = "",
    limit: int = 150,
) -> Window:
    """At most ``limit`` events around, before or after the event of that number, or the latest without one.

    Three queries at most, each bounded by ``limit`` and by an index, however long the session is.
    """
    limit = max(1, min(limit, MOST))
    found = Event.objects.filter(KIND_FILTERS.get(kinds, Q()), session=session)
    anchor = _anchor(session, next((number for number in (around, before, after) if number is not None), None))
    if anchor is None:
        return _backwards(found, limit, newer=False)
    if before is not None:
        return _backwards(found.filter(_earlier(anchor)), limit, newer=True)
    if after is not None:
        return _forwards(found.filter(_later(anchor)), limit)
    earlier = _backwards(found.filter(_earlier(anchor)), limit // 2, newer=True)
    rest = _forwards(found.filter(_later(anchor, inclusive=True)), limit - limit // 2)
    return Window([*earlier.events, *rest.events], older=earlier.older, newer=rest.newer)


def _anchor(session: Session, number: int | None) -> Event | None:
    """The event of that number, or the next one left after some were forgotten."""
    if number is None:
        return None
    near = Event.objects.filter(session=session).only(*DISPLAY_ORDER)
    return (
        near.filter(number__gte=number).order_by("number").first()
        or near.filter(number__lt=number).order_by("-number").first()
    )


def _earlier(anchor: Event) -> Q:
    return Q(occurred_at__lte=anchor.occurred_at) & (
        Q(occurred_at__lt=anchor.occurred_at) | Q(n__lt=anchor.n) | Q(n=anchor.n, number__lt=anchor.number)
    )


def _later(anchor: Event, *, inclusive: bool = False) -> Q:
    same = Q(n=anchor.n, number__gte=anchor.number) if inclusive else Q(n=anchor.n, number__gt=anchor.number)
    return Q(occurred_at__gte=anchor.occurred_at) & (Q(occurred_at__gt=anchor.occurred_at) | Q(n__gt=anchor.n) | same)


def _backwards(found: QuerySet[Event], limit: int, *, newer: bool) -> Window:
    rows = list(found.order_by(*_BACKWARDS)[: limit + 1])
    return Window(rows[:limit][::-1], older=len(rows) > limit, newer=newer)


def _forwards(found: QuerySet[Event], limit: int) -> Window:
    rows = list(found.order_by(*DISPLAY_ORDER)[: limit + 1])
    return Window(rows[:limit], older=True, newer=len(rows) > limit)


def find(session: Session, text: str) -> list[int]:
    """Numbers of the events that contain ``text``, letter case aside, in display order; at most 1,000."""
    text = text.strip("\n")[:200]
    if not text:
        return []
    # JSON is stored escaped, so a quote or an accent looks different there.
    escaped = json.dumps(text)[1:-1]
    plain = json.dumps(text, ensure_ascii=False)[1:-1]
    found = (
        Event.objects.filter(session=session)
        .annotate(fields=Cast("body", TextField()))
        .filter(
            Q(text__icontains=text)
            | Q(output__icontains=text)
            | Q(name__icontains=text)
            | Q(fields__icontains=escaped)
            | Q(fields__icontains=plain)
        )
    )
    return list(found.order_by(*DISPLAY_ORDER).values_list("number", flat=True)[:_MOST_HITS])


def files(session: Session, limit: int = 60) -> Sequence[SessionFile]:
    """Changed files first, then those only read."""
    return list(session.touched.order_by("-edits", "path")[:limit])


def commands(session: Session) -> Commands:
    """The last 2,000 shell commands by program, most used first."""
    calls = (
        Event.objects.filter(session=session, kind="tool_call", family="shell")
        .order_by(*_BACKWARDS)
        .values_list("number", "body__input", "ok")[: _MOST_COMMANDS + 1]
    )
    groups: dict[str, Command] = {}
    result = Commands(capped=len(calls) > _MOST_COMMANDS)
    for number, given, ok in calls[:_MOST_COMMANDS]:
        program = program_of(command_in(given))
        group = groups.setdefault(program, Command(program, last=number))
        group.times += 1
        group.failures += ok is False
        result.total += 1
        result.failures += ok is False
    result.rows = sorted(groups.values(), key=lambda group: (-group.times, group.program))
    return result


def turns(session: Session) -> list[Turn]:
    """The last 300 prompts, each with what it led to."""
    found: list[Turn] = []
    rows = Event.objects.filter(session=session, kind__in=("prompt", "tool_call")).order_by(*DISPLAY_ORDER)
    for number, kind, text, ok, at in rows.values_list("number", "kind", "text", "ok", "occurred_at").iterator():
        if kind == "prompt":
            found.append(Turn(number, one_line(text, 120), at))
        elif found:
            found[-1].tools += 1
            found[-1].failures += ok is False
    return found[-_MOST_TURNS:]
