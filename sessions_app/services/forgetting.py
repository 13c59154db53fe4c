"""What was taken back stays away: late deliveries, retries and imports of it are answered and dropped.

By time, because most of it may never have been told here (a queue on a machine, an import from a transcript), and by
delivery id, because a time may be missing or be told differently the second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from sessions_app.models import Event, Forgotten, ForgottenDelivery, Session
from sessions_app.services.reports import Report, bounded_id
from stash.actors import Actor
from stash_client.events import SessionInfo
from stash_client.ids import canonical_harness

_MOST_ANCESTORS = 8
_TICK = timedelta(microseconds=1)


def note_family(members: Iterable[Session], *, since: datetime | None, until: datetime) -> None:
    """Note that the events of these sessions since then (all: None) are taken back. Call before they are deleted."""
    for member in members:
        _note(member, since, until)


def _note(member: Session, since: datetime | None, until: datetime) -> None:
    known = Forgotten.objects.filter(**_key_of(member))
    if since is not None:
        longer = known.filter(since__lte=since, until__gte=since).first()
        if longer is not None:
            longer.until = max(longer.until, until)
            longer.save(update_fields=["until"])
            _note_deliveries(longer, member, since)
            return
    made = Forgotten.objects.create(**_key_of(member), former=member.pk, since=since, until=until)
    _note_deliveries(made, member, since)


def _key_of(session: Session) -> dict[str, Any]:
    return {
        "team_id": session.team_id,
        "person_id": session.person_id,
        "harness": session.harness,
        "native_id": session.native_id,
    }


def _note_deliveries(forgotten: Forgotten, member: Session, since: datetime | None) -> None:
    """Copied inside the database: a session may have any number of events."""
    table, events = ForgottenDelivery._meta.db_table, Event._meta.db_table
    values = [forgotten.pk, Session._meta.pk.get_db_prep_value(member.pk, connection)]
    when = ""
    if since is not None:
        when = " AND occurred_at >= %s"
        values.append(Event._meta.get_field("occurred_at").get_db_prep_value(since, connection))  # type: ignore[union-attr]
    selects = [
        f"SELECT %s, {column} FROM {events} WHERE session_id = %s AND {column} IS NOT NULL{when}"  # noqa: S608
        for column in ("uid", "twin_uid")
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (forgotten_id, uid) {' UNION '.join(selects)} ON CONFLICT DO NOTHING",
            [*values, *values],
        )


def of_session(actor: Actor, info: SessionInfo) -> list[Forgotten]:
    """What was taken back of this session or of those it is a subagent of."""
    ids = [info.native_id]
    if info.parent_native_id:
        parts = info.parent_native_id.split("/")
        ids += ["/".join(parts[:n]) for n in range(len(parts), 0, -1)][:_MOST_ANCESTORS]
    return list(
        Forgotten.objects.filter(
            team_id=actor.team_id,
            person_id=actor.user_id,
            harness=canonical_harness(info.harness),
            native_id__in=[bounded_id(one) or "unknown" for one in ids],
        )
    )


def not_forgotten(past: Sequence[Forgotten], reports: Sequence[Report], *, skew: timedelta) -> list[Report]:
    """The reports that tell of something else than what was taken back.

    What a transcript tells without a time cannot show that it is something else, so it is not among them.
    """
    uids = set(
        ForgottenDelivery.objects.filter(
            forgotten__in=past, uid__in=[report.row.uid for report in reports]
        ).values_list("uid", flat=True)
    )
    return [
        report
        for report in reports
        if report.row.uid not in uids
        and not (report.timeless and report.row.origins == "t")
        and not any(_covers(one, happened_at(report, skew)) for one in past)
    ]


def opening_again(
    past: Sequence[Forgotten], reports: Sequence[Report], *, parent: Session | None, is_child: bool, skew: timedelta
) -> list[Report]:
    """Of the reports about a deleted session, those that begin it anew: from its person's next prompt on.

    Until then an agent only goes on with what was deleted. Subagents come back with their parent, not without it.
    """
    whole = [one for one in past if one.since is None]
    if not whole:
        return list(reports)
    if is_child:
        return list(reports) if parent is not None else []
    prompts = [happened_at(report, skew) for report in reports if report.event.kind == "prompt"]
    if not prompts:
        return []
    first = min(prompts)
    Forgotten.objects.filter(pk__in=[one.pk for one in whole], until__lt=first).update(until=first - _TICK)
    return [report for report in reports if happened_at(report, skew) >= first]


def was_forgotten(actor: Actor, session_id: UUID) -> bool:
    """Whether this was a session of the actor's own that is deleted: asking again to forget it is harmless."""
    return Forgotten.objects.filter(
        former=session_id, team_id=actor.team_id, person_id=actor.user_id, since__isnull=True
    ).exists()


def happened_at(report: Report, skew: timedelta) -> datetime:
    """By our clock to the second, also where the client's is off by less than is worth correcting for display."""
    try:
        return (report.row.reported_at or report.row.occurred_at) + skew
    except OverflowError:
        return report.row.occurred_at


def _covers(one: Forgotten, at: datetime) -> bool:
    return (one.since is None or one.since <= at) and at <= one.until
