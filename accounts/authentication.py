"""Turns a key or a browser session into an Actor. Nothing the body or a header says about a person counts."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from ipaddress import ip_address
from uuid import UUID

from django.conf import settings
from django.core.cache import cache
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import ApiKey, Machine, Membership, Team, User
from stash.actors import Actor
from stash.audit.services import record
from stash_client.privacy import scrub

_NOTE_USE_EVERY = timedelta(minutes=5)
_NOTE_CLAIM_EVERY = 300
_LONGEST_CLAIM = 400
_NOBODY = UUID(int=0)
CLAIM_HEADERS = ("X-Actor", "X-User", "X-Agent-Id", "X-Forwarded-User", "X-Remote-User")
"""Headers in which other products let a caller say who it is. Here they are only noticed."""


def new_secret(prefix: str = "stash_") -> str:
    return f"{prefix}{secrets.token_urlsafe(32)}"


def digest_of(secret: str) -> str:
    """What is kept of a secret with 256 random bits: its SHA-256 in hex (a slow hash would protect nothing here)."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


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
        patterns=membership.team.patterns_version,
    )


def actor_of_membership(membership: Membership, *, channel: str = "web", ip: str | None = None) -> Actor:
    return Actor(
        user_id=membership.user_id,
        user_name=membership.user.display_name,
        team_id=membership.team_id,
        team_slug=membership.team.slug,
        membership_id=membership.pk,
        role=membership.role,
        channel=channel,
        ip=ip,
        patterns=membership.team.patterns_version,
    )


def system_actor(team: Team) -> Actor:
    """The installation itself: first start, sweeps, an operator on the command line."""
    return Actor(
        user_id=_NOBODY,
        user_name="system",
        team_id=team.pk,
        team_slug=team.slug,
        membership_id=_NOBODY,
        role=Membership.Role.OWNER,
        channel="system",
    )


def usable_key(secret: str) -> ApiKey | None:
    """The live key behind this secret, with its person, team and machine in one query."""
    if not secret.startswith("stash_"):
        return None
    keys = (
        ApiKey.objects.usable(timezone.now())
        .filter(Q(machine__isnull=True) | Q(machine__revoked_at__isnull=True), digest=digest_of(secret))
        .select_related("membership__user", "membership__team", "machine")
    )
    return next(iter(keys), None)  # first() would order what is at most one row


def note_use(key: ApiKey, ip: str | None) -> None:
    """Remembers that a key is in use, at most once in five minutes, so that reads stay reads."""
    now = timezone.now()
    if key.last_used_at and now - key.last_used_at < _NOTE_USE_EVERY:
        return
    ApiKey.objects.filter(pk=key.pk).update(last_used_at=now, last_used_ip=ip)
    if key.machine_id:
        Machine.objects.filter(pk=key.machine_id).update(last_seen_at=now)


def note_claim(actor: Actor, username: str, claimed: object, *, where: str) -> None:
    """Audits that a request named somebody else as its author; attribution stays with the credential.

    ``where``: the header or field. The claim itself is kept short, and at most one entry is made in five minutes.
    """
    name = scrub(claimed[:_LONGEST_CLAIM]).value.strip() if isinstance(claimed, str) else ""
    own = {username.casefold(), actor.user_name.casefold(), str(actor.user_id)}
    if not name or name.casefold() in own:
        return
    if cache.add(f"claim:{actor.key_id or actor.user_id}:{where}", 1, _NOTE_CLAIM_EVERY):
        record(actor, "person.claim_ignored", name=name[:80], where=where)


class KeyAuthentication(BaseAuthentication):
    """``Authorization: Bearer stash_…``; sets ``request.actor``."""

    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        key = usable_key(secret.strip())
        if key is None:
            raise _refusal(secret.strip())
        actor = actor_of_key(key, ip=address_of(request._request))
        request._request.actor = actor  # type: ignore[attr-defined]
        note_use(key, actor.ip)
        for header in CLAIM_HEADERS:
            if header in request.headers:
                note_claim(actor, key.membership.user.username, request.headers[header], where=header)
        return key.membership.user, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _refusal(secret: str) -> AuthenticationFailed:
    """Why a key opens nothing: who holds it may know whether it ended, so that a client can say what to do."""
    known = ApiKey.objects.filter(digest=digest_of(secret)).values_list("revoked_at", "expires_at").first()
    if known is None:
        return AuthenticationFailed("This key is not known here.", code="key_unknown")
    revoked_at, expires_at = known
    if revoked_at is None and expires_at is not None and expires_at <= timezone.now():
        return AuthenticationFailed("This key has expired.", code="key_expired")
    return AuthenticationFailed("This key was revoked, or its person has left the team.", code="key_revoked")


class BrowserAuthentication(SessionAuthentication):
    """The browser's session with CSRF; ActorMiddleware has already found the Actor."""


def address_of(request: HttpRequest) -> str | None:
    """The caller's address: what the outermost proxy of ours saw, when requests come through some."""
    proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    passed = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
    address = passed[-proxies] if 0 < proxies <= len(passed) else request.META.get("REMOTE_ADDR", "")
    try:
        return str(ip_address(address))
    except ValueError:
        return None
