"""Who holds a socket, and whether that still may see what it watches: asked again for as long as it is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.sessions.models import Session as BrowserSession
from django.utils import timezone

from accounts.authentication import actor_of_key, actor_of_membership, usable_key
from accounts.models import ApiKey, Membership
from sessions_app.models import Session
from stash.actors import Actor


@dataclass(frozen=True, slots=True)
class Access:
    """By what somebody watches: a browser's session or a key."""

    user_id: UUID
    browser_session: str = ""
    key_id: UUID | None = None


def access_of(scope: Mapping[str, Any]) -> Access | None:
    """Of a WebSocket's scope: ``Authorization: Bearer``, else the signed-in person of the browser's session."""
    headers = dict(scope.get("headers", ()))
    scheme, _, secret = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if scheme:
        key = usable_key(secret.strip()) if scheme.lower() == "bearer" else None
        return Access(key.membership.user_id, key_id=key.pk) if key else None
    user = scope.get("user")
    if user is None or not user.is_authenticated:
        return None
    browser = scope.get("session")
    return Access(user.pk, browser_session=getattr(browser, "session_key", "") or "")


def actor_in(access: Access, *, team_id: UUID | None = None, team: str = "") -> Actor | None:
    """The actor behind it now, in that team; None when key, membership, person or sign-in ended."""
    if access.key_id is not None:
        key = (
            ApiKey.objects.usable(timezone.now())
            .select_related("membership__user", "membership__team", "machine")
            .filter(pk=access.key_id)
            .first()
        )
        if key is None or (key.machine is not None and key.machine.revoked_at):
            return None
        actor = actor_of_key(key)
        return actor if team_id in (None, actor.team_id) and team in ("", actor.team_slug) else None
    if not _signed_in(access):
        return None
    memberships = Membership.objects.active().filter(user_id=access.user_id).select_related("team", "user")
    if team_id is not None:
        memberships = memberships.filter(team_id=team_id)
    if team:
        memberships = memberships.filter(team__slug=team)
    membership = memberships.order_by("joined_at").first()
    return actor_of_membership(membership) if membership else None


def _signed_in(access: Access) -> bool:
    if not access.browser_session:
        return True
    return BrowserSession.objects.filter(session_key=access.browser_session, expire_date__gt=timezone.now()).exists()


def watchable(access: Access, session_id: UUID) -> Session | None:
    """The session, when whoever holds this access may read it now."""
    team_id = Session.objects.filter(pk=session_id).values_list("team_id", flat=True).first()
    actor = actor_in(access, team_id=team_id) if team_id else None
    if actor is None:
        return None
    return Session.objects.visible_to(actor).select_related("person", "team").filter(pk=session_id).first()


def still_watching(accesses: Iterable[Access], session_id: UUID) -> set[Access]:
    """Those who may go on watching; people of one kind of access are asked once."""
    return {access for access in set(accesses) if watchable(access, session_id) is not None}
