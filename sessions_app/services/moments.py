"""Is this report a new moment, or one we already know?

Decided under the session's lock. By the strongest id both sides have; without one, as a multiset: among moments of
equal kind and text the k-th report of one origin is the k-th of the other. So a transcript adds what hooks missed,
never doubles what they saw, and a person who says "again" twice has said it twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from sessions_app.models import Event, Session
from sessions_app.services.reports import Rejection, Report
from stash.errors import Conflict

_TURN_KEYED = ("prompt", "reply")
_OPEN = ("output", "ok", "exit_code", "duration_ms", "call_id", "turn_id", "message_id")
_BLANK = ("text", "name")
"""The columns that a second report may fill: null and empty ones."""
COMPLETED = ("seq", "digest", "twin_uid", "twin_digest", "origins", "body", "redactions", *_OPEN, *_BLANK)
"""What completing changes on a stored event."""


@dataclass(slots=True)
class Plan:
    """What to do with each report: store, complete a known event, or nothing."""

    new: list[Report] = field(default_factory=list)
    twins: list[tuple[Event, Report]] = field(default_factory=list)
    duplicates: int = 0
    rejected: list[Rejection] = field(default_factory=list)


class Known:
    """The stored events that any of the reports could be, indexed by each way of telling."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.by_uid: dict[Any, Event] = {}
        self.by_moment: dict[str, Event] = {}
        self.by_match: dict[int, list[Event]] = defaultdict(list)
        for event in sorted(events, key=lambda e: (e.occurred_at, e.n, e.number)):
            self.add(event)

    def add(self, event: Event) -> None:
        self.by_uid[event.uid] = event
        if event.twin_uid:
            self.by_uid[event.twin_uid] = event
        if event.moment:
            self.by_moment[event.moment] = event
        if event.match is not None:
            self.by_match[event.match].append(event)

    def twin_of(self, row: Event) -> Event | None:
        """The known event that ``row`` reports again, or None."""
        same = self.by_moment.get(row.moment) if row.moment else None
        if same is not None and not _said_again(same, row):
            return same
        for event in self.by_match.get(row.match, ()) if row.match is not None else ():
            if row.origins not in event.origins and _compatible(event, row):
                return event
        return None


def _said_again(same: Event, row: Event) -> bool:
    """A transcript tells each prompt and reply once, so the same words in one turn were really said twice.

    Two hook reports of them are a hook registered twice instead.
    """
    return row.kind in _TURN_KEYED and not row.message_id and row.origins == "t" and "t" in same.origins


def _compatible(event: Event, row: Event) -> bool:
    """Equal kind and text; where both sides carry the same sort of id, it must be equal."""
    if event.kind != row.kind:
        return False
    for name in ("call_id", "message_id", "turn_id"):
        mine, theirs = getattr(event, name), getattr(row, name)
        if mine and theirs:
            return bool(mine == theirs)
    return True


def known_events(session: Session, reports: Sequence[Report]) -> Known:
    """The stored events that any of these reports could be; by text only those the other origin alone told."""
    pks = _known_pks(session, reports)
    return Known(Event.objects.filter(pk__in=pks) if pks else ())


def _known_pks(session: Session, reports: Sequence[Report]) -> list[int]:
    """One statement, one index each: as a single OR both engines would read the whole session instead.

    Written as SQL because this runs for every event and almost always finds nothing, when composing it would cost
    more than running it. "IS NOT NULL" lets SQLite use the partial indexes.
    """
    table = Event._meta.db_table
    uids = [_value("uid", uid) for uid in {r.row.uid for r in reports}]
    moments = list({r.row.moment for r in reports if r.row.moment})
    matches = list({r.row.match for r in reports if r.row.match is not None})
    other = "t" if reports[0].row.origins == "h" else "h"
    ways: list[tuple[str, list[Any], list[Any]]] = [
        ("uid IN ({})", uids, []),
        ("twin_uid IS NOT NULL AND twin_uid IN ({})", uids, []),
        ("moment IS NOT NULL AND moment IN ({})", moments, []),
        ("match IS NOT NULL AND match IN ({}) AND origins = %s", matches, [other]),
    ]
    selects, values = [], []
    for condition, wanted, rest in ways:
        if wanted:
            marks = ", ".join(["%s"] * len(wanted))
            selects.append(f"SELECT id FROM {table} WHERE session_id = %s AND {condition.format(marks)}")  # noqa: S608
            values += [_value("session_id", session.pk), *wanted, *rest]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ".join(selects), values)
        return [pk for (pk,) in cursor.fetchall()]


def _value(column: str, value: Any) -> Any:
    """The value as this engine stores it (SQLite keeps UUIDs as text)."""
    field: Any = Event._meta.get_field("session" if column == "session_id" else column)
    return field.get_db_prep_value(value, connection)


def plan(known: Known, reports: Sequence[Report]) -> Plan:
    """Go through the reports in source order; each new one is known to those after it."""
    result = Plan()
    for report in reports:
        row = report.row
        same = known.by_uid.get(row.uid)
        if same is not None:
            _again(result, same, report)
        elif (twin := known.twin_of(row)) is not None:
            known.by_uid[row.uid] = twin
            _twin(result, twin, report)
        else:
            if row.moment in known.by_moment:
                row.moment = None
            known.add(row)
            result.new.append(report)
    return result


def _again(result: Plan, same: Event, report: Report) -> None:
    """The same delivery: harmless if it says the same, a completion if a transcript has grown since it was read."""
    row, is_twin = report.row, same.twin_uid == report.row.uid
    if (same.twin_digest if is_twin else same.digest) == row.digest:
        result.duplicates += 1
    elif row.origins == "t" and _agree(same, row):
        if is_twin:
            same.twin_digest = row.digest
        else:
            same.digest = row.digest
        result.twins.append((same, report))
    else:
        problem = Conflict("This uid was used for another event before.", code="uid_conflict")
        result.rejected.append(Rejection(report.index, problem))


def _agree(event: Event, row: Event) -> bool:
    """Nothing that both say differs."""
    if event.kind != row.kind or event.match != row.match:
        return False
    pairs = [(getattr(event, name), getattr(row, name)) for name in (*_OPEN, *_BLANK)]
    pairs += [(event.body.get(name), value) for name, value in row.body.items()]
    return all(mine == theirs for mine, theirs in pairs if mine not in (None, "") and theirs not in (None, ""))


def _twin(result: Plan, twin: Event, report: Report) -> None:
    """Another delivery of a known moment; the first such may complete it, later ones add nothing."""
    if twin.twin_uid:
        result.duplicates += 1
        return
    twin.twin_uid, twin.twin_digest = report.row.uid, report.row.digest
    if report.row.origins not in twin.origins:
        twin.origins += report.row.origins
    result.twins.append((twin, report))


def complete(twin: Event, row: Event) -> bool:
    """Fill what the first report left open; True when something was. A started subagent takes its report."""
    filled = False
    for name in _OPEN:
        if getattr(twin, name) is None and getattr(row, name) is not None:
            setattr(twin, name, getattr(row, name))
            filled = True
    for name in _BLANK:
        if not getattr(twin, name) and getattr(row, name):
            setattr(twin, name, getattr(row, name))
            filled = True
    for name, value in row.body.items():
        if name == "state" and value == "finished" != twin.body.get("state"):
            twin.body["state"] = value
            filled = True
        elif twin.body.get(name) in (None, "") and value != "":
            twin.body[name] = value
            filled = True
    if filled:
        # Both tell of the same texts, so what both found was taken out once.
        twin.redactions = {**(Counter(twin.redactions) | Counter(row.redactions))}
    return filled
