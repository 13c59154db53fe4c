"""Whose briefing one may ask for: of projects that one has connected."""

from __future__ import annotations

from accounts.models import Connection, Project
from accounts.selectors import get_project, resolve_project
from sessions_app.services.opening import NotConnected
from sessions_app.services.reports import bounded_id
from stash.actors import Actor
from stash.recall.briefing import Question
from stash_client.events import SessionInfo
from stash_client.ids import canonical_harness


def question_about(actor: Actor, slug: str) -> Question:
    """For looking. Raises NotFound for a project one cannot see, NotConnected for one that one has not connected."""
    project = get_project(actor, slug)
    writable = Project.objects.writable_by(actor).filter(pk=project.pk).exists()
    if not writable or not _covering(actor, project):
        raise NotConnected(project=project.slug)
    return Question(actor, project)


def question_of(actor: Actor, session: SessionInfo) -> Question | None:
    """For a session that starts; None for a project that nobody has made yet. Raises NotConnected."""
    project, connection = resolve_project(actor, session.project.identities)
    if connection is None:
        raise NotConnected()
    if project is None:
        return None
    return Question(actor, project, (canonical_harness(session.harness), bounded_id(session.native_id) or "unknown"))


def _covering(actor: Actor, project: Project) -> bool:
    made = Connection.objects.filter(membership_id=actor.membership_id)
    return made.filter(project__isnull=True).exists() or made.filter(project=project).exists()
