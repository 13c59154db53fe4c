"""Consent: nothing is captured from a checkout that its person has not connected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from accounts.identities import clean_identities, name_from
from accounts.models import Connection, Project, ProjectIdentity
from accounts.selectors.projects import effective_visibility
from accounts.services.projects import add_identity, new_project
from accounts.services.teams import announce_team, lock_team
from stash.access import require
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Invalid, NotFound

_CLOSED = "This repository belongs to a project that is closed to you. Ask an admin of the team."


class Connected(NamedTuple):
    """``visibility``: what new sessions really get; ``fixed_by``: team or project when they decide, else empty."""

    project: Project | None
    connection: Connection
    created: bool
    visibility: str
    fixed_by: str


def connect(
    *,
    actor: Actor,
    identities: Iterable[object],
    visibility: str = Connection.Visibility.PRIVATE,
    everything: bool = False,
    raw_hooks: bool | None = None,
    name: str = "",
) -> Connected:
    """Record that the actor wants this checkout captured; makes its project or joins the one that has it.

    The first known identity decides, strongest first; the others become hints where they are free. Connecting again
    changes the choice. Raises Invalid without a usable identity, NotFound when the project is closed to the actor.
    """
    if visibility not in Connection.Visibility.values:
        raise Invalid("A session is private or visible to its project.", code="visibility", field="visibility")
    if everything:
        with transaction.atomic():
            connection = _consent(actor, None, visibility, raw_hooks)
        return Connected(None, connection, False, visibility, "")
    wanted = clean_identities(identities)
    if not wanted:
        raise Invalid("None of these names a repository or folder.", code="identity", field="identities")
    with transaction.atomic():
        project, created = _project_for(actor, wanted, name)
        connection = _consent(actor, project, visibility, raw_hooks)
    effective, decider = effective_visibility(project, connection)
    return Connected(project, connection, created, effective, decider if decider != "person" else "")


def ensure_project(*, actor: Actor, identities: Iterable[object], name: str = "") -> Project:
    """The project of a checkout whose person connected everything, made if need be. Raises as ``connect`` does."""
    wanted = clean_identities(identities)
    if not wanted:
        raise Invalid("None of these names a repository or folder.", code="identity", field="identities")
    with transaction.atomic():
        return _project_for(actor, wanted, name)[0]


def _project_for(actor: Actor, wanted: list[str], name: str) -> tuple[Project, bool]:
    """The team's lock makes the decision one: two people who connect the same new repository share the project."""
    lock_team(actor.team_id)
    known = {
        row.value: row.project
        for row in ProjectIdentity.objects.filter(team_id=actor.team_id, value__in=wanted).select_related(
            "project__team"
        )
    }
    project = _of_marker(actor, wanted[0]) if wanted[0] not in known else None
    project = project or next((known[value] for value in wanted if value in known), None)
    created = project is None
    if project is None:
        require(actor, "accounts.start_project")
        project = new_project(actor=actor, name=_project_name(name, wanted))
    else:
        _require_entry(actor, project)
    for value in wanted:
        if value not in known:
            add_identity(actor=actor, project=project, identity=value)
    return project, created


def _of_marker(actor: Actor, identity: str) -> Project | None:
    """The project whose own id a marker carries. Raises NotFound for one that is not there: it must not become
    another name of whatever project the remote belongs to."""
    try:
        project_id = UUID(identity.removeprefix("marker:")) if identity.startswith("marker:") else None
    except ValueError:
        return None
    if project_id is None:
        return None
    project = Project.objects.filter(team_id=actor.team_id, pk=project_id).select_related("team").first()
    if project is None:
        raise NotFound(_CLOSED)
    return project


def _require_entry(actor: Actor, project: Project) -> None:
    if not Project.objects.visible_to(actor).filter(pk=project.pk).exists():
        raise NotFound(_CLOSED)
    require(actor, "accounts.connect", project)


def _project_name(name: str, wanted: list[str]) -> str:
    """Never what looks like an address: a remote may carry a password where a client took it for a name."""
    shown = "".join(c for c in name if c.isprintable()).strip()
    suspicious = any(mark in shown for mark in ("://", "@", "\\")) or len(shown) > 100
    return shown.rsplit("/", 1)[-1] if shown and not suspicious else name_from(wanted)


def _consent(actor: Actor, project: Project | None, visibility: str, raw_hooks: bool | None) -> Connection:
    chosen: dict[str, str | bool] = {"visibility": visibility}
    if raw_hooks is not None:
        chosen["raw_hooks"] = raw_hooks
    connection, _ = Connection.objects.update_or_create(
        membership_id=actor.membership_id, project=project, defaults=chosen
    )
    record(
        actor,
        "connection.made",
        connection,
        name=project.name if project else "everything",
        visibility=visibility,
        raw_hooks=connection.raw_hooks,
    )
    announce_team(actor.team_id)
    return connection


def change_connection(*, actor: Actor, connection: Connection, visibility: str) -> Connection:
    """Choose again who sees new sessions; earlier ones keep what they have."""
    require(actor, "accounts.disconnect", connection)
    if visibility not in Connection.Visibility.values:
        raise Invalid("A session is private or visible to its project.", code="visibility", field="visibility")
    with transaction.atomic():
        return _consent(actor, connection.project, visibility, None)


def disconnect(*, actor: Actor, connection: Connection) -> None:
    """Stop capture from this project (or from everything); what was captured stays as it is."""
    require(actor, "accounts.disconnect", connection)
    with transaction.atomic():
        if Connection.objects.filter(pk=connection.pk).delete()[0]:
            name = connection.project.name if connection.project else "everything"
            record(actor, "connection.ended", connection, name=name)
