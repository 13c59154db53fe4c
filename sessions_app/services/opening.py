"""Finding or creating the session a batch belongs to, with its project, under lock."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection

from accounts.models import Connection, Project
from accounts.selectors import effective_visibility, resolve_project
from accounts.services import ensure_project
from sessions_app.models import Session
from sessions_app.services.forgetting import of_session
from sessions_app.services.reports import bounded_id
from stash import listeners
from stash.actors import Actor
from stash.errors import StashError
from stash_client.events import SessionInfo
from stash_client.ids import canonical_harness
from stash_client.privacy import snippet


class NotConnected(StashError):
    """The person has not consented to capture from this project; the client parks such items."""

    code, status, title = "project_not_connected", 409, "This project is not connected"


class NotWritable(StashError):
    code, status, title = "project_not_writable", 403, "You may not write to this project"


def open_session(*, actor: Actor, info: SessionInfo, at: datetime) -> tuple[Session, bool]:
    """(the locked session, whether it is new). Call inside a transaction. Raises as ``create_session`` does.

    The lock makes numbering safe (on SQLite the IMMEDIATE transaction is the lock).
    """
    session = find_session(actor=actor, info=info)
    return (session, False) if session is not None else create_session(actor=actor, info=info, at=at)


def find_session(*, actor: Actor, info: SessionInfo) -> Session | None:
    """The locked session, or None when there is none yet. Raises NotConnected, NotWritable."""
    session = _locked(actor, _key(actor, info))
    if session is not None:
        _check_consent(actor, session)
    return session


def create_session(*, actor: Actor, info: SessionInfo, at: datetime) -> tuple[Session, bool]:
    """(the locked session, whether it is this call's). A lost race for creation ends in the winner's row: the insert
    ignores the conflict and the select then waits for the winner's commit.

    Raises NotConnected, NotWritable, and IntegrityError when somebody deletes what it builds on.
    """
    key = _key(actor, info)
    created = _create(actor, info, key, at)
    session = _locked(actor, key)
    if session is None:
        raise IntegrityError("The session was deleted by others while it was opened.")
    is_new = session.pk == created.pk
    if is_new:
        listeners.tell("session_opened", actor, session)
    return session, is_new


def _key(actor: Actor, info: SessionInfo) -> dict[str, Any]:
    """An id of another person is another session: nobody can append to what is not theirs."""
    return {
        "team_id": actor.team_id,
        "person_id": actor.user_id,
        "harness": canonical_harness(info.harness),
        "native_id": bounded_id(info.native_id) or "unknown",
    }


_LOCK = """
    SELECT s.*,
        EXISTS (SELECT 1 FROM {connection} c WHERE c.membership_id = %s
                AND (c.project_id = s.project_id OR c.project_id IS NULL)) AS consented,
        p.visibility AS project_visibility,
        CAST(p.policy AS TEXT) <> '{{}}' AS project_has_policy
    FROM {session} s LEFT JOIN {project} p ON p.id = s.project_id
    WHERE s.team_id = %s AND s.person_id = %s AND s.harness = %s AND s.native_id = %s {for_update}
"""


def _locked(actor: Actor, key: dict[str, Any]) -> Session | None:
    """The session, with what every batch asks of its project.

    Written as SQL because it runs for every batch: composing it cost a sixth of the whole request.
    """
    statement = _LOCK.format(
        connection=Connection._meta.db_table,
        session=Session._meta.db_table,
        project=Project._meta.db_table,
        for_update=connection.ops.for_update_sql(of=("s",)) if connection.features.has_select_for_update else "",
    )
    ids = [_stored(value) for value in (actor.membership_id, key["team_id"], key["person_id"])]
    return next(iter(Session.objects.raw(statement, [*ids, key["harness"], key["native_id"]])), None)


def _stored(value: UUID) -> Any:
    """A UUID as this engine stores it."""
    return Session._meta.pk.get_db_prep_value(value, connection)


def _check_consent(actor: Actor, session: Session) -> None:
    """Consent can be taken back and rights can change at any time, so every batch asks again."""
    facts: Any = session
    if not facts.consented:
        raise NotConnected(project=session.project.slug if session.project else None)
    is_open = facts.project_visibility in (None, Project.Visibility.TEAM)
    if actor.role in ("owner", "admin") or (actor.role == "member" and is_open):
        return  # the usual cases need no further question to the database
    if session.project_id and not Project.objects.writable_by(actor).filter(pk=session.project_id).exists():
        raise NotWritable()


def _create(actor: Actor, info: SessionInfo, key: dict[str, Any], at: datetime) -> Session:
    parent = _parent(actor, info, at)
    if parent is not None:
        project, visibility = parent.project, parent.visibility
    else:
        project, visibility = _project_and_visibility(actor, info)
    if info.visibility == Session.Visibility.PRIVATE:
        visibility = Session.Visibility.PRIVATE
    session = Session(
        **key,
        parent=parent,
        project=project,
        visibility=visibility,
        machine_id=actor.machine_id,
        forgot=bool(of_session(actor, info)),
        started_at=at,
        last_event_at=at,
        status_since=at,
    )
    fill(session, info)
    Session.objects.bulk_create([session], ignore_conflicts=True)
    return session


def parent_of(*, actor: Actor, info: SessionInfo) -> Session | None:
    """The locked session that this one is a subagent of, if it is there."""
    if not info.parent_native_id:
        return None
    return _locked(actor, _key(actor, SessionInfo(harness=info.harness, native_id=info.parent_native_id)))


def _parent(actor: Actor, info: SessionInfo, at: datetime) -> Session | None:
    """A subagent's parent; made with what is known when the child is heard of first."""
    if not info.parent_native_id:
        return None
    about = SessionInfo(
        harness=info.harness,
        native_id=info.parent_native_id,
        project=info.project,
        cwd=info.cwd,
        checkout=info.checkout,
        branch=info.branch,
        machine=info.machine,
        visibility=info.visibility,
    )
    return open_session(actor=actor, info=about, at=at)[0]


def _project_and_visibility(actor: Actor, info: SessionInfo) -> tuple[Project | None, str]:
    """Where a new session belongs and who sees it; one whose project nobody knows is its person's alone."""
    project, connection = resolve_project(actor, info.project.identities)
    if connection is None:
        raise NotConnected()
    if project is None and info.project.identities:
        project = ensure_project(actor=actor, identities=info.project.identities, name=info.project.name or "")
    if project is None:
        return None, Session.Visibility.PRIVATE
    return project, effective_visibility(project, connection)[0]


_FILLED = {
    "branch": 255, "commit": 64, "model": 120, "cwd": 500, "checkout": 120,
    "agent_type": 80, "harness_version": 40, "client_version": 40,
}  # fmt: skip


def fill(session: Session, info: SessionInfo) -> None:
    """Take over what a batch knows of its session; what it does not say erases nothing."""
    for name, length in _FILLED.items():
        if value := getattr(info, name):
            setattr(session, name, value[:length])
    if info.machine:
        session.machine_name = info.machine[:120]
    if info.interactive is not None:
        session.interactive = info.interactive
    if info.policy:
        session.policy = dict(info.policy)
    if info.title and session.title_source != Session.TitleSource.PERSON:
        session.title, session.title_source = snippet(info.title, 200), Session.TitleSource.HARNESS
