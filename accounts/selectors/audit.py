"""The audit log, for those who govern people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.models import Project
from stash.access import require
from stash.actors import Actor
from stash.audit.models import AuditEntry


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """``actor``: id or part of a name; ``action``: a verb, or the thing before the dot; ``project``: slug."""

    actor: str = ""
    action: str = ""
    project: str = ""
    since: datetime | None = None
    until: datetime | None = None


def audit_entries(actor: Actor, wanted: AuditFilter) -> QuerySet[AuditEntry]:
    """Entries of the actor's team, newest first."""
    require(actor, "accounts.read_audit")
    found = AuditEntry.objects.filter(team_id=actor.team_id).order_by("-id")
    if wanted.actor:
        found = found.filter(_by(wanted.actor))
    if wanted.action:
        found = found.filter(Q(verb=wanted.action) | Q(verb__startswith=f"{wanted.action}."))
    if wanted.project:
        found = found.filter(_about(actor, wanted.project))
    if wanted.since:
        found = found.filter(at__gte=wanted.since)
    if wanted.until:
        found = found.filter(at__lt=wanted.until)
    return found


def audit_verbs(actor: Actor) -> list[str]:
    """The verbs that occur, for the filter."""
    require(actor, "accounts.read_audit")
    occurring = AuditEntry.objects.filter(team_id=actor.team_id).order_by("verb")
    return list(occurring.values_list("verb", flat=True).distinct()[:200])


def _by(who: str) -> Q:
    try:
        return Q(actor_id=UUID(who))
    except ValueError:
        return Q(actor_name__icontains=who)


def _about(actor: Actor, slug: str) -> Q:
    ids = list(Project.objects.filter(team_id=actor.team_id, slug=slug).values_list("pk", flat=True))
    return Q(project_id__in=ids)


def before(entries: QuerySet[AuditEntry], entry_id: str) -> QuerySet[AuditEntry]:
    """The entries older than this one; all of them when the id makes no sense."""
    try:
        return entries.filter(pk__lt=UUID(entry_id))
    except ValueError:
        return entries
