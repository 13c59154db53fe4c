"""Transcripts that carry no times and no ids (Cursor's): their events take their place from their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sessions_app.models import Event, Session
from sessions_app.services.moments import Plan
from sessions_app.services.reports import Report


def place_untimed(session: Session, plan: Plan, reports: Sequence[Report]) -> None:
    """Give each event without a time that of the known moment before it, so that source order is kept."""
    if not any(report.timeless for report in reports):
        return
    known = {id(report): twin.occurred_at for twin, report in plan.twins}
    at = session.started_at
    for report in reports:
        if (when := known.get(id(report))) is not None:
            at = max(at, when)
        elif report.timeless:
            report.row.occurred_at = min(at, report.row.received_at)
        else:
            at = max(at, report.row.occurred_at)


def without_live_turns(session: Session, plan: Plan) -> None:
    """Drop tool calls without any id from turns in which hooks saw tool calls: they are the same, told worse.

    Nothing else tells them apart: such a transcript has neither call ids nor results.
    """
    unnamed = [r for r in plan.new if r.timeless and r.row.kind == "tool_call" and not r.row.call_id]
    if not unnamed:
        return
    live = _live_spans(session)
    dropped = {id(r) for r in unnamed if any(start <= r.row.occurred_at < end for start, end in live)}
    plan.new = [r for r in plan.new if id(r) not in dropped]
    plan.duplicates += len(dropped)


def _live_spans(session: Session) -> list[tuple[datetime, datetime]]:
    """The turns (from one prompt to the next) in which a hook reported at least one tool call."""
    far = datetime.max.replace(tzinfo=session.started_at.tzinfo)
    spans: list[tuple[datetime, datetime]] = []
    start, has_calls = session.started_at, False
    rows = Event.objects.filter(session=session, kind__in=("prompt", "tool_call"), origins__startswith="h")
    for kind, at in rows.order_by("occurred_at", "n", "number").values_list("kind", "occurred_at"):
        if kind == "prompt":
            if has_calls:
                spans.append((start, at))
            start, has_calls = at, False
        else:
            has_calls = True
    return [*spans, (start, far)] if has_calls else spans
