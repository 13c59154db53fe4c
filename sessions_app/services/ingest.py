"""append_events(): the one way into memory. Everything a batch does happens in one transaction, or nothing does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from sessions_app.models import Event, Session
from sessions_app.services import effects, forgetting, moments
from sessions_app.services.families import give_visibility
from sessions_app.services.files import Touches, add_touches, note_difference, touch_files, touches_of
from sessions_app.services.opening import create_session, fill, find_session, open_session, parent_of
from sessions_app.services.reports import Capture, Rejection, Report
from sessions_app.services.unknown import count_unknown
from sessions_app.services.untimed import place_untimed, without_live_turns
from stash import listeners, live
from stash.access import require
from stash.actors import Actor
from stash.search import services as search
from stash_client.events import TRANSIENT, SessionInfo
from stash_client.privacy import OPEN, Policy, scrub

_PRIVATE = Session.Visibility.PRIVATE


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a request: counts add up to the items sent. No session: it was deleted, and stays so."""

    session: Session | None
    accepted: int = 0
    completed: int = 0
    duplicates: int = 0
    rejected: list[Rejection] = field(default_factory=list)
    redactions: dict[str, int] = field(default_factory=dict)


@transaction.atomic
def append_events(*, actor: Actor, capture: Capture) -> Receipt:
    """Store each moment once and let it have its effects. Raises Forbidden, NotConnected, NotWritable for all items.

    Safe under retries, reordering and concurrency: the session row is locked, delivery ids and moments are unique,
    and the caller may repeat the whole call until it has an answer.
    """
    require(actor, "sessions.capture")
    info = capture.session.value
    session, is_new = find_session(actor=actor, info=info), False
    reports = _still_wanted(actor, capture, session)
    if reports is None:
        return Receipt(None, duplicates=len(capture.reports), rejected=capture.rejected)
    if session is None:
        start = min((r.row.occurred_at for r in reports), default=capture.received_at)
        session, is_new = create_session(actor=actor, info=info, at=start)
    if info.visibility == _PRIVATE and capture.origin == "h" and not is_new:
        # Asked for while it runs. An import asks for itself alone: what hooks told already keeps what it has.
        give_visibility(actor=actor, locked=session, visibility=_PRIVATE)
    before = dict(vars(session))
    fill(session, info)
    transient = [r for r in reports if r.event.kind in TRANSIENT]
    lasting = [r for r in _as_project_wants(session, reports) if r.event.kind not in TRANSIENT]
    plan = _plan(session, is_new, lasting)
    completed = _store(actor, session, plan)
    for report in transient:
        effects.show_activity(session, report.event, report.row.occurred_at)  # type: ignore[arg-type]
    _save_changes(session, before)
    if plan.new or completed:
        search.changed("session", session.pk)
    _tell(actor, session, plan)
    _announce(session)
    dropped = len(capture.reports) - len(reports)
    return Receipt(
        session=session,
        accepted=len(plan.new) + len(transient),
        completed=completed,
        duplicates=plan.duplicates + len(plan.twins) - completed + dropped,
        rejected=[*capture.rejected, *plan.rejected],
        redactions=_redactions(capture, plan),
    )


def _redactions(capture: Capture, plan: moments.Plan) -> dict[str, int]:
    counts = Counter(capture.session.redactions)
    for report in plan.new:
        counts.update(report.row.redactions)
    return dict(counts)


def _still_wanted(actor: Actor, capture: Capture, session: Session | None) -> Sequence[Report] | None:
    """The reports without what was taken back; None when they belong to a deleted session and do not begin it anew."""
    if session is not None and not session.forgot:
        return capture.reports
    info = capture.session.value
    past = forgetting.of_session(actor, info)
    if not past:
        return capture.reports
    kept = forgetting.not_forgotten(past, capture.reports, skew=capture.skew)
    if session is None:
        parent, is_child = parent_of(actor=actor, info=info), bool(info.parent_native_id)
        kept = forgetting.opening_again(past, kept, parent=parent, is_child=is_child, skew=capture.skew)
    return kept if kept or session is not None else None


def _save_changes(session: Session, before: dict[str, Any]) -> None:
    """Write only the columns that changed: an event changes few of the many. The ORM's own way costs thrice this."""
    now = vars(session)
    changed = [field for field in Session._meta.concrete_fields if now[field.attname] != before[field.attname]]
    if not changed:
        return
    columns = ", ".join(f"{connection.ops.quote_name(str(field.column))} = %s" for field in changed)
    values = [field.get_db_prep_save(now[field.attname], connection) for field in changed]
    key = Session._meta.pk.get_db_prep_value(session.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {Session._meta.db_table} SET {columns} WHERE id = %s", [*values, key])  # noqa: S608


def _plan(session: Session, is_new: bool, reports: list[Report]) -> moments.Plan:
    if not reports:
        return moments.Plan()
    known = moments.Known(()) if is_new else moments.known_events(session, reports)
    plan = moments.plan(known, reports)
    if reports[0].row.origins == "t":
        place_untimed(session, plan, reports)
        without_live_turns(session, plan)
    return plan


def _store(actor: Actor, session: Session, plan: moments.Plan) -> int:
    """Write new events and completions; returns how many known events were completed."""
    rows = [report.row for report in plan.new]
    for row in rows:
        row.session = session
        if row.kind == "subagent":
            _link_child(actor, session, row)
    effects.absorb(session, rows)
    completed = _complete(actor, session, plan)
    Event.objects.bulk_create(rows)
    touch_files(session, rows)
    count_unknown(session, rows)
    return completed


def _complete(actor: Actor, session: Session, plan: moments.Plan) -> int:
    """A completed event gets a new seq, so that every reader's cursor meets it again."""
    completed, changed, total = 0, [], Touches()
    for twin, report in plan.twins:
        told, touched = effects.told(twin), touches_of(twin)
        if moments.complete(twin, report.row):
            completed += 1
            session.last_seq += 1
            twin.seq = session.last_seq
            if twin.kind == "subagent" and "child" not in twin.body:
                _link_child(actor, session, twin)
            effects.correct(session, twin, told)
            if twin.pk is not None:
                note_difference(total, touches_of(twin), touched)
        if twin.pk is not None:
            changed.append(twin)
    if changed:
        Event.objects.bulk_update(changed, moments.COMPLETED)
    add_touches(session, total)
    return completed


def _link_child(actor: Actor, session: Session, row: Event) -> None:
    """The parent's one subagent event points at the child session, which exists from then on."""
    agent_id = row.body.get("agent_id")
    if not agent_id:
        return
    about = SessionInfo(
        harness=session.harness,
        native_id=f"{session.native_id}/{agent_id}",
        parent_native_id=session.native_id,
        agent_type=row.body.get("agent_type"),
    )
    child, _ = open_session(actor=actor, info=about, at=row.occurred_at)
    row.body["child"] = str(child.pk)


def _as_project_wants(session: Session, reports: Sequence[Report]) -> Sequence[Report]:
    """The project's own capture policy on top of what the client already left out; the stricter wins."""
    facts: Any = session
    policy = Policy.from_mapping(session.project.policy) if facts.project_has_policy and session.project else OPEN
    if policy == OPEN:
        return reports
    return [_restricted(report, policy) for report in reports]


def _restricted(report: Report, policy: Policy) -> Report:
    clean: Any = scrub(report.event, policy=policy)
    row = report.row
    row.text = getattr(clean.value, "text", "")
    row.output = getattr(clean.value, "output", None)
    for name in ("input", "diff", "paths", "command", "attachments"):
        if name in row.body:
            row.body[name] = getattr(clean.value, name)
    return Report(report.index, row, clean.value, report.timeless)


def _tell(actor: Actor, session: Session, plan: moments.Plan) -> None:
    """What listeners hear. An import ends its session by silence, without an event that says so, at each batch."""
    kinds = {report.event.kind for report in plan.new}
    if plan.new and session.status == Session.Status.ENDED:
        kinds.add("session_end")
    for kind, what in (("prompt", "session_prompted"), ("turn_end", "turn_ended"), ("session_end", "session_ended")):
        if kind in kinds:
            listeners.tell(what, actor, session)


def _announce(session: Session) -> None:
    groups = [live.session_group(session.pk), live.team_group(session.team_id)]
    if session.parent_id:
        groups.append(live.session_group(session.parent_id))
    live.announce(groups=tuple(groups), hint="events")


def sweep_silence(*, now: datetime, limit: int = 500) -> int:
    """Let silence end or idle open sessions; returns how many changed. Several sweeps at once do no harm.

    Each session is looked at again under its lock, so an event that arrives meanwhile wins.
    """
    stale = Session.objects.filter(effects.unsettled(now)).exclude(status=Session.Status.ENDED)
    changed = 0
    for pk in list(stale.order_by("last_event_at").values_list("pk", flat=True)[:limit]):
        changed += _settle_one(pk, now)
    return changed


@transaction.atomic
def _settle_one(pk: Any, now: datetime) -> bool:
    session = Session.objects.select_for_update().filter(pk=pk).first()
    if session is None or not effects.settle(session, now):
        return False
    session.save(
        update_fields=["status", "status_since", "ended_at", "end_reason", "activity", "waiting_for"],
    )
    if session.status == Session.Status.ENDED:
        listeners.tell("session_ended", None, session)
    _announce(session)
    return True
