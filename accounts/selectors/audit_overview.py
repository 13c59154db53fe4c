"""What the audit log looks like from afar: how much per day, by whom, sealed how far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDate

from stash.access import require
from stash.actors import Actor
from stash.audit.models import AuditEntry, AuditSeal


@dataclass(frozen=True, slots=True)
class Chain:
    """How far the log is sealed: the last seal's number and time (0 and None before the first), entries after it."""

    number: int
    sealed_at: datetime | None
    waiting: int


def get_audit_entry(actor: Actor, entry_id: str) -> AuditEntry | None:
    """One entry of the actor's team; None when the id makes no sense or belongs elsewhere."""
    require(actor, "accounts.read_audit")
    try:
        wanted = UUID(entry_id)
    except ValueError:
        return None
    return AuditEntry.objects.filter(team_id=actor.team_id, pk=wanted).select_related("seal").first()


def entries_per_day(entries: QuerySet[AuditEntry], last: date, days: int) -> list[tuple[date, int]]:
    """The ``days`` days up to ``last``, oldest first, empty ones too."""
    first = last - timedelta(days=days - 1)
    counted = entries.order_by().filter(at__date__gte=first, at__date__lte=last)
    found = dict(counted.annotate(day=TruncDate("at")).values_list("day").annotate(Count("pk")))
    every = (first + timedelta(days=n) for n in range(days))
    return [(day, found.get(day, 0)) for day in every]


def entries_per_person(entries: QuerySet[AuditEntry], most: int) -> list[tuple[str, int, int]]:
    """Name, all entries, those of them made by hand in the browser; the busiest first."""
    grouped = entries.order_by().values("actor_name")
    counted = grouped.annotate(every=Count("pk"), by_hand=Count("pk", filter=Q(channel="web"))).order_by("-every")
    return [(row["actor_name"], row["every"], row["by_hand"]) for row in counted[:most]]


def chain_state(actor: Actor) -> Chain:
    require(actor, "accounts.read_audit")
    seal = AuditSeal.objects.order_by("-number").first()
    waiting = AuditEntry.objects.filter(team_id=actor.team_id, seal__isnull=True).count()
    return Chain(seal.number if seal else 0, seal.sealed_at if seal else None, waiting)
