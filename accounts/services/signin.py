"""One-time links: how the first owner arrives, and how an operator lets somebody back in."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.authentication import actor_of_membership, digest_of, new_secret, system_actor
from accounts.models import Membership, SignInLink, Team, User
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Conflict, Invalid

LASTS = timedelta(minutes=15)


class LinkSpent(Conflict):
    code, title = "link_spent", "This link is no longer good"


class Bootstrapped(NamedTuple):
    """``link`` is None once the owner has signed in."""

    team: Team
    owner: User
    link: str | None
    created: bool


def bootstrap() -> Bootstrapped:
    """The first team and its owner, made if nobody owns one; a fresh one-time link until the owner has been here.

    Harmless to repeat, and for processes that start together: names decide among them.
    """
    owner = _first_owner()
    created = owner is None
    if owner is None:
        try:
            owner = _found_team()
        except IntegrityError:
            owner, created = _first_owner(), False
            if owner is None:
                raise
    link = None if owner.user.last_login else make_signin_link(actor=system_actor(owner.team), user=owner.user)
    return Bootstrapped(owner.team, owner.user, link, created)


def _first_owner() -> Membership | None:
    owners = Membership.objects.active().filter(role=Membership.Role.OWNER)
    return owners.select_related("team", "user").order_by("joined_at").first()


def _found_team() -> Membership:
    with transaction.atomic():
        team, _ = Team.objects.get_or_create(slug="team", defaults={"name": "Team"})
        user = User(username="owner", email=settings.OWNER_EMAIL)
        user.set_unusable_password()
        user.save()
        if settings.OWNER_EMAIL:
            EmailAddress.objects.create(user=user, email=settings.OWNER_EMAIL, verified=True, primary=True)
        membership = Membership.objects.create(team=team, user=user, role=Membership.Role.OWNER)
        record(system_actor(team), "team.created", team)
    return membership


def make_signin_link(*, actor: Actor, user: User) -> str:
    """The address that signs this person in once within 15 minutes; links made before stop working."""
    if Membership.objects.active().filter(user=user).exclude(role=Membership.Role.SERVICE).first() is None:
        raise Invalid("Only active people can sign in.", code="not_a_person")
    secret = new_secret("once_")
    now = timezone.now()
    with transaction.atomic():
        SignInLink.objects.filter(user=user, used_at__isnull=True).update(used_at=now)
        link = SignInLink.objects.create(user=user, digest=digest_of(secret), expires_at=now + LASTS)
        record(actor, "signin_link.created", link)
    return str(settings.URL) + reverse("accounts_public:signin", args=[secret])


def use_signin_link(*, secret: str, ip: str | None = None) -> User:
    """The person this link signs in. Raises LinkSpent on every use but the first: the conditional UPDATE decides."""
    now = timezone.now()
    with transaction.atomic():
        good = SignInLink.objects.filter(digest=digest_of(secret), used_at__isnull=True, expires_at__gt=now)
        if not good.update(used_at=now):
            raise LinkSpent("It was used, replaced, or is older than 15 minutes. Make a new one on the server.")
        link = SignInLink.objects.select_related("user").get(digest=digest_of(secret))
        membership = Membership.objects.active().filter(user=link.user).select_related("team", "user").first()
        if membership is None:
            raise LinkSpent("This person is no longer in any team.")
        record(actor_of_membership(membership, ip=ip), "signin_link.used", link)
    return link.user
