"""Projects: what they are called, which checkouts are theirs, who sees them."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.text import slugify

from accounts.identities import clean_identity
from accounts.models import Membership, Project, ProjectGrant, ProjectIdentity, ProjectSlug, Team
from accounts.services.names import clean_name, free_project_slug, is_project_slug_taken
from accounts.services.teams import announce_membership, announce_team, lock_team
from stash.access import require
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Conflict, Invalid

_LARGEST_POLICY = 100
"""Globs and names in a policy; more is a mistake."""


def create_project(*, actor: Actor, name: str, visibility: str = Project.Visibility.TEAM) -> Project:
    """A project without a checkout yet."""
    require(actor, "accounts.start_project")
    with transaction.atomic():
        lock_team(actor.team_id)
        return new_project(actor=actor, name=name, visibility=visibility)


def new_project(*, actor: Actor, name: str, visibility: str = Project.Visibility.TEAM) -> Project:
    """The row and its audit entry; the caller holds the team's lock and has asked for permission."""
    name = clean_name(name)
    project = Project.objects.create(
        team_id=actor.team_id,
        slug=free_project_slug(actor.team_id, name),
        name=name,
        visibility=visibility,
        created_by_id=actor.user_id,
    )
    record(actor, "project.created", project, slug=project.slug)
    announce_team(actor.team_id)
    return project


def rename_project(*, actor: Actor, project: Project, name: str | None = None, slug: str | None = None) -> Project:
    """Change name, slug or both. The old slug keeps leading here. Raises Conflict for a slug in use, now or before."""
    require(actor, "accounts.write_project", project)
    with transaction.atomic():
        lock_team(project.team_id)
        project.refresh_from_db(fields=["name", "slug"])
        before = project.slug
        project.name = clean_name(name) if name is not None else project.name
        if slug is not None and slug != project.slug:
            _move_slug(project, slug)
        project.save(update_fields=["name", "slug"])
        record(actor, "project.renamed", project, before=before, after=project.slug)
    return project


def _move_slug(project: Project, slug: str) -> None:
    if not slug or slugify(slug)[:80] != slug:
        raise Invalid("A short name has lower-case letters, digits and dashes.", code="slug", field="slug")
    if is_project_slug_taken(project.team_id, slug, besides=project):
        raise Conflict("Another project has, or had, this short name.", code="slug_taken")
    ProjectSlug.objects.filter(team_id=project.team_id, slug=slug, project=project).delete()
    ProjectSlug.objects.create(team_id=project.team_id, slug=project.slug, project=project)
    project.slug = slug


def change_project(
    *,
    actor: Actor,
    project: Project,
    name: str | None = None,
    slug: str | None = None,
    visibility: str | None = None,
    session_visibility: str | None = None,
    policy: Any = None,
) -> Project:
    """Several changes at once, all or none; each asks for its own permission."""
    with transaction.atomic():
        if name is not None or slug is not None:
            rename_project(actor=actor, project=project, name=name, slug=slug)
        if visibility is not None:
            set_visibility(actor=actor, project=project, visibility=visibility)
        if session_visibility is not None:
            set_session_visibility(actor=actor, project=project, visibility=session_visibility)
        if policy is not None:
            set_policy(actor=actor, project=project, policy=policy)
    return project


def attach_identity(*, actor: Actor, project: Project, value: str) -> ProjectIdentity:
    """Let checkouts that call themselves so belong here. Raises Conflict when another project has the identity."""
    require(actor, "accounts.write_project", project)
    identity = clean_identity(value)
    if identity is None:
        raise Invalid("This is not a repository address.", code="identity", field="identity")
    with transaction.atomic():
        lock_team(project.team_id)
        existing = ProjectIdentity.objects.filter(team_id=project.team_id, value=identity).first()
        if existing is None:
            return add_identity(actor=actor, project=project, identity=identity)
        if existing.project_id != project.pk:
            raise Conflict("This repository belongs to another project.", code="identity_taken")
        return existing


def add_identity(*, actor: Actor, project: Project, identity: str) -> ProjectIdentity:
    """The row and its audit entry; ``identity`` is clean and free, and the caller holds the team's lock."""
    row = ProjectIdentity.objects.create(
        team_id=project.team_id, project=project, value=identity, added_by_id=actor.user_id
    )
    record(actor, "project.identity_attached", project, identity=identity)
    return row


def detach_identity(*, actor: Actor, identity: ProjectIdentity) -> None:
    """Checkouts that call themselves so no longer belong here; what they sent stays."""
    require(actor, "accounts.write_project", identity.project)
    with transaction.atomic():
        if ProjectIdentity.objects.filter(pk=identity.pk).delete()[0]:
            record(actor, "project.identity_detached", identity.project, identity=identity.value)


def set_visibility(*, actor: Actor, project: Project, visibility: str) -> Project:
    """Open a project to the team, or close it to those with a grant."""
    if visibility not in Project.Visibility.values:
        raise Invalid("A project is visible to the team or restricted.", code="visibility", field="visibility")
    return _govern(actor, project, "project.visibility_changed", visibility=visibility)


def set_session_visibility(*, actor: Actor, project: Project, visibility: str) -> Project:
    """Fix who sees new sessions of this project (``private`` or ``project``), or leave it to each person (empty)."""
    if visibility not in Team.Default.values:
        raise Invalid("Choose private, project or nothing.", code="visibility", field="session_visibility")
    return _govern(actor, project, "project.session_visibility_changed", session_visibility=visibility)


def set_policy(*, actor: Actor, project: Project, policy: Any) -> Project:
    """What capture leaves out here: ``{"ignore": [globs], "prompts": bool, "output": bool}``."""
    clean = _clean_policy(policy)
    require(actor, "accounts.govern_project", project)
    with transaction.atomic():
        project.policy = clean
        project.save(update_fields=["policy"])
        record(actor, "project.policy_changed", project, ignored=len(clean.get("ignore", [])))
    return project


def _clean_policy(policy: Any) -> dict[str, Any]:
    if not isinstance(policy, dict) or set(policy) - {"ignore", "prompts", "output"}:
        raise Invalid("A policy has ignore, prompts and output.", code="policy", field="policy")
    globs = policy.get("ignore", [])
    switches = [policy[name] for name in ("prompts", "output") if name in policy]
    named = isinstance(globs, list) and all(isinstance(glob, str) and len(glob) <= 200 for glob in globs)
    if not named or len(globs) > _LARGEST_POLICY or not all(isinstance(value, bool) for value in switches):
        raise Invalid("A policy has a list of globs, and true or false.", code="policy", field="policy")
    return policy


def _govern(actor: Actor, project: Project, verb: str, **change: str) -> Project:
    require(actor, "accounts.govern_project", project)
    (field, after) = next(iter(change.items()))
    with transaction.atomic():
        before = getattr(project, field)
        setattr(project, field, after)
        project.save(update_fields=[field])
        if before != after:
            record(actor, verb, project, before=before, after=after)
            announce_team(project.team_id)
    return project


def set_team_session_visibility(*, actor: Actor, visibility: str) -> Team:
    """Fix who sees new sessions in the whole team, or leave it to projects and people (empty)."""
    require(actor, "accounts.manage_people")
    if visibility not in Team.Default.values:
        raise Invalid("Choose private, project or nothing.", code="visibility", field="session_visibility")
    with transaction.atomic():
        team = lock_team(actor.team_id)
        before, team.session_visibility = team.session_visibility, visibility
        team.save(update_fields=["session_visibility"])
        record(actor, "team.session_visibility_changed", team, before=before, after=visibility)
    return team


def grant_access(*, actor: Actor, project: Project, membership: Membership, can_write: bool) -> ProjectGrant:
    """Let somebody into a restricted project, or a service account into any; granting again changes the right."""
    require(actor, "accounts.govern_project", project)
    if membership.team_id != project.team_id or not membership.active:
        raise Invalid("Only people of the team can be let in.", code="outsider")
    with transaction.atomic():
        grant, _ = ProjectGrant.objects.update_or_create(
            project=project, membership=membership, defaults={"can_write": can_write}
        )
        record(actor, "project.access_granted", project, person=str(membership.user), can_write=can_write)
        announce_membership(membership)
    return grant


def withdraw_access(*, actor: Actor, grant: ProjectGrant) -> None:
    require(actor, "accounts.govern_project", grant.project)
    with transaction.atomic():
        if ProjectGrant.objects.filter(pk=grant.pk).delete()[0]:
            record(actor, "project.access_withdrawn", grant.project, person=str(grant.membership.user))
            announce_membership(grant.membership)
