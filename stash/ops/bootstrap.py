"""The first team and its owner, so that a fresh installation has somebody who can sign in."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.authentication import digest_of
from accounts.models import Membership, SignInLink, Team, User

LINK_LIFETIME = timedelta(minutes=15)


def bootstrap() -> str | None:
    """The path of a one-time sign-in link for the first owner; None once somebody has signed in or a link still works."""
    with transaction.atomic():
        owner = Membership.objects.filter(role=Membership.Role.OWNER).select_related("user").first() or _first_owner()
        links = SignInLink.objects.filter(user=owner.user)
        if owner.user.last_login or links.filter(used_at__isnull=True, expires_at__gt=timezone.now()).exists():
            return None
        secret = secrets.token_urlsafe(32)
        links.create(user=owner.user, digest=digest_of(secret), expires_at=timezone.now() + LINK_LIFETIME)
    return f"/accounts/link/{secret}/"


def _first_owner() -> Membership:
    team = Team.objects.create(slug="team", name="Team")
    user = User.objects.create_user("owner", name="Owner")
    return Membership.objects.create(team=team, user=user, role=Membership.Role.OWNER)
