"""Turns a key or a browser session into an Actor. Nothing the body or a header says about a person counts."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import ApiKey, User
from stash.actors import Actor

_NOTE_USE_EVERY = timedelta(minutes=5)


def digest_of(secret: str) -> str:
    """What is kept of a secret with 256 random bits: its SHA-256 in hex (a slow hash would protect nothing here)."""
    return hashlib.sha256(secret.encode()).hexdigest()


def actor_of_key(key: ApiKey, *, channel: str = "api", ip: str | None = None) -> Actor:
    membership = key.membership
    return Actor(
        user_id=membership.user_id,
        user_name=membership.user.display_name,
        team_id=membership.team_id,
        team_slug=membership.team.slug,
        membership_id=membership.pk,
        role=membership.role,
        scopes=frozenset(key.scopes),
        channel=channel,
        machine_id=key.machine_id,
        machine_name=key.machine.name if key.machine else "",
        key_id=key.pk,
        ip=ip,
    )


def usable_key(secret: str) -> ApiKey | None:
    """The live key behind this secret, with its person, team and machine in one query."""
    if not secret.startswith("stash_"):
        return None
    return (
        ApiKey.objects.usable(timezone.now())
        .filter(Q(machine__isnull=True) | Q(machine__revoked_at__isnull=True), digest=digest_of(secret))
        .select_related("membership__user", "membership__team", "machine")
        .first()
    )


def note_use(key: ApiKey, ip: str | None) -> None:
    """Remembers that a key is in use, at most once in five minutes, so that reads stay reads."""
    now = timezone.now()
    if key.last_used_at and now - key.last_used_at < _NOTE_USE_EVERY:
        return
    ApiKey.objects.filter(pk=key.pk).update(last_used_at=now, last_used_ip=ip)
    if key.machine_id:
        type(key.machine).objects.filter(pk=key.machine_id).update(last_seen_at=now)


class KeyAuthentication(BaseAuthentication):
    """``Authorization: Bearer stash_…``; sets ``request.actor``."""

    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        key = usable_key(secret.strip())
        if key is None:
            raise AuthenticationFailed("This key is unknown, expired or revoked.")
        ip = request.META.get("REMOTE_ADDR") or None
        note_use(key, ip)
        request._request.actor = actor_of_key(key, ip=ip)
        return key.membership.user, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class BrowserAuthentication(SessionAuthentication):
    """The browser's session with CSRF; ActorMiddleware has already found the Actor."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        return super().authenticate(request)
