"""Projects, who reaches them, and which one a checkout belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import BooleanField, Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When

from accounts.identities import clean_identities
from accounts.models import Connection, Membership, Project, ProjectGrant, ProjectIdentity, ProjectSlug
from stash.access import gate
from stash.actors import Actor
from stash.audit.services import record

_NOTE_LOOK_EVERY = 3600
_MOST_CAPTURED = 1000


class Resolved(NamedTuple):
    """Where a checkout belongs: its project if anybody made one, and the person's consent that covers it."""

    project: Project | None
    connection: Connection | None


def projects(actor: Actor) -> QuerySet[Project]:
    return (
        Project.objects.visible_to(actor)
        .select_related("team")
        .annotate(people=Count("connections", distinct=True))
        .order_by("slug")
    )


def get_project(actor: Actor, slug: str) -> Project:
    """By its slug or one it had before (compare ``.slug`` to redirect)."""
    visible = Project.objects.visible_to(actor).select_related("team")
    older = ProjectSlug.objects.filter(team_id=actor.team_id, slug=slug).values("project_id")
    project = gate(visible.filter(Q(slug=slug) | Q(pk__in=older)))
    note_admin_look(actor, project)
    return project


def note_admin_look(actor: Actor, project: Project) -> None:
    """Owners and admins may look into a restricted project without a grant; that they did is audited, once an hour."""
    if project.visibility != Project.Visibility.RESTRICTED or actor.role not in ("owner", "admin"):
        return
    if ProjectGrant.objects.filter(project=project, membership_id=actor.membership_id).exists():
        return
    if cache.add(f"look:{actor.user_id}:{project.pk}", 1, _NOTE_LOOK_EVERY):
        record(actor, "project.read_without_grant", project)


def resolve_project(actor: Actor, identities: Iterable[object]) -> Resolved:
    """The project of the first identity that is known, and the actor's consent to capture there. Two queries.

    A project in which the actor may not write counts as unknown. ``(None, connection)`` means that the person
    connected everything and the project has yet to be made: see ``services.ensure_project``.
    """
    wanted = clean_identities(identities)
    project = _first_writable(actor, wanted) if wanted else _Unknown
    if project is None:
        return Resolved(None, None)
    known = project if isinstance(project, Project) else None
    return Resolved(known, _consent(actor, known))


class _Unknown:
    """No project of the team has any of these identities."""


def _first_writable(actor: Actor, wanted: list[str]) -> Project | type[_Unknown] | None:
    """None when the project is known and closed to the actor."""
    writable = Project.objects.writable_by(actor).filter(pk=OuterRef("project_id"))
    rows = {
        row.value: row
        for row in ProjectIdentity.objects.filter(team_id=actor.team_id, value__in=wanted)
        .select_related("project__team")
        .annotate(writable=Exists(writable))
    }
    for value in wanted:
        if value in rows:
            return rows[value].project if rows[value].writable else None
    return _Unknown


def _consent(actor: Actor, project: Project | None) -> Connection | None:
    """The connection to this project, else the one to everything."""
    covering = Q(project__isnull=True)
    if project is not None:
        covering |= Q(project=project)
    return (
        Connection.objects.filter(covering, membership_id=actor.membership_id)
        .order_by(F("project_id").asc(nulls_last=True))
        .first()
    )


def effective_visibility(project: Project, connection: Connection | None) -> tuple[str, str]:
    """What a new session of this person gets (``private`` or ``project``) and who decided: team, project or person."""
    if project.team.session_visibility:
        return project.team.session_visibility, "team"
    if project.session_visibility:
        return project.session_visibility, "project"
    return (connection.visibility if connection else Connection.Visibility.PRIVATE), "person"


class Captured(NamedTuple):
    """A project whose sessions this person lets be captured, with what a new one gets and who decided that."""

    project: Project
    visibility: str
    fixed_by: str


def captured_projects(actor: Actor) -> list[Captured]:
    """Those the actor connected by name; who connected everything also gets those that have a policy.

    Three queries, at most 1,000 projects; where the actor may no longer write is not among them.
    """
    made = {row.project_id: row for row in Connection.objects.filter(membership_id=actor.membership_id)}
    wanted = Q(pk__in=[pk for pk in made if pk])
    if None in made:
        wanted |= ~Q(policy={})
    found = Project.objects.writable_by(actor).filter(wanted).select_related("team").prefetch_related("identities")
    rows = []
    for project in found.order_by("slug")[:_MOST_CAPTURED]:
        visibility, decider = effective_visibility(project, made.get(project.pk, made.get(None)))
        rows.append(Captured(project, visibility, decider if decider != "person" else ""))
    return rows


def connections(actor: Actor) -> QuerySet[Connection]:
    """What the actor lets be captured, the connection to everything first."""
    return (
        Connection.objects.filter(membership_id=actor.membership_id)
        .select_related("project__team")
        .prefetch_related("project__identities")
        .order_by(F("project__slug").asc(nulls_first=True))
    )


def people_connected(project: Project) -> QuerySet[Connection]:
    return (
        Connection.objects.filter(project=project, membership__active=True)
        .select_related("membership__user")
        .order_by("membership__user__username")
    )


def members_of(actor: Actor, project: Project) -> QuerySet[Membership]:
    """Who reaches this project, with ``can_write``."""
    grants = ProjectGrant.objects.filter(project=project, membership_id=OuterRef("pk"))
    governs, service = Q(role__in=["owner", "admin"]), Q(role="service")
    reached = governs | Q(Exists(grants))
    writes = governs | (Q(role__in=["member", "service"]) & Q(Exists(grants.filter(can_write=True))))
    if project.visibility == Project.Visibility.TEAM:
        reached |= ~service
        writes |= Q(role="member")
    return (
        Membership.objects.visible_to(actor)
        .active()
        .filter(reached)
        .select_related("user")
        .annotate(can_write=Case(When(writes, then=Value(True)), default=Value(False), output_field=BooleanField()))
        .order_by("user__username")
    )


def get_identity(project: Project, identity_id: int) -> ProjectIdentity:
    """One of the names of a project the caller has come to through its own gate."""
    return gate(ProjectIdentity.objects.filter(project=project).select_related("project"), pk=identity_id)
