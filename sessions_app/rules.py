"""Who may do what with sessions: role ∩ key scope, then ownership."""

from __future__ import annotations

import rules

from sessions_app.models import Session
from stash.actors import Actor


@rules.predicate
def may_capture(actor: Actor) -> bool:
    """Members and service accounts with a key that captures; viewers only read."""
    return actor.role != "viewer" and "capture" in actor.scopes


@rules.predicate
def is_own(actor: Actor, session: Session | None) -> bool:
    return session is not None and session.person_id == actor.user_id


@rules.predicate
def may_write(actor: Actor) -> bool:
    return "write" in actor.scopes


@rules.predicate
def administers(actor: Actor) -> bool:
    return actor.administers


rules.add_perm("sessions.capture", may_capture)
rules.add_perm("sessions.change", may_write & is_own)
rules.add_perm("sessions.forget", may_write & is_own)
rules.add_perm("sessions.delete", (may_write & is_own) | administers)
