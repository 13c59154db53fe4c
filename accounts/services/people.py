"""Teams, who is in them, and in which role."""

from __future__ import annotations

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.authentication import actor_of_membership
from accounts.models import ApiKey, Connection, DeviceApproval, Machine, Membership, Team, User
from accounts.services.names import clean_name, free_team_slug
from accounts.services.teams import announce_membership, lock_team
from stash import listeners
from stash.access import require
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Conflict, Invalid

_PERSON_ROLES = (Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER, Membership.Role.VIEWER)


def create_team_with_owner(*, user: User, name: str) -> Membership:
    """A new workspace; whoever starts it owns it."""
    with transaction.atomic():
        name = clean_name(name)
        team = Team.objects.create(name=name, slug=free_team_slug(name))
        membership = Membership.objects.create(team=team, user=user, role=Membership.Role.OWNER)
        record(actor_of_membership(membership), "team.created", team)
    return membership


def join_open_team(*, user: User) -> Membership:
    """Where sign-up is open, a new account becomes a member of the oldest team. Raises Conflict without any team."""
    with transaction.atomic():
        team = Team.objects.order_by("created_at", "pk").first()
        if team is None:
            raise Conflict("There is no team to join yet.", code="no_team")
        membership, fresh = Membership.objects.get_or_create(team=team, user=user)
        if fresh:
            record(actor_of_membership(membership), "membership.created", membership, role=membership.role)
            announce_membership(membership)
    return membership


def change_role(*, actor: Actor, membership: Membership, role: str) -> Membership:
    """Give a person another role. Raises Conflict for the last owner, Invalid for service accounts."""
    require(actor, "accounts.change_person", membership)
    if role == Membership.Role.OWNER:
        require(actor, "accounts.name_owner")
    if role not in _PERSON_ROLES or membership.role == Membership.Role.SERVICE:
        raise Invalid("A person is an owner, admin, member or viewer.", code="role_unknown")
    with transaction.atomic():
        lock_team(membership.team_id)
        membership.refresh_from_db()
        require(actor, "accounts.change_person", membership)
        if membership.role == role:
            return membership
        if role != Membership.Role.OWNER:
            _keep_an_owner(membership)
        before, membership.role = membership.role, role
        membership.save(update_fields=["role"])
        record(actor, "membership.role_changed", membership, before=before, after=role)
        announce_membership(membership)
    return membership


def deactivate_person(*, actor: Actor, membership: Membership) -> Membership:
    """End a membership: keys, machines and consents die at once, service accounts pass to the actor.

    What the person captured stays the team's. Raises Conflict for the last owner, and for oneself while one is
    responsible for service accounts.
    """
    require(actor, "accounts.change_person", membership)
    with transaction.atomic():
        lock_team(membership.team_id)
        membership.refresh_from_db()
        if not membership.active:
            return membership
        _keep_an_owner(membership)
        _hand_over_service_accounts(actor, membership)
        membership.active, membership.left_at = False, timezone.now()
        membership.save(update_fields=["active", "left_at"])
        _end_access(membership)
        record(actor, "person.deactivated", membership)
        listeners.tell("person_deactivated", actor, membership)
        announce_membership(membership)
    return membership


def _keep_an_owner(membership: Membership) -> None:
    """The team's lock is held: two owners who remove each other come here one after the other."""
    if membership.role != Membership.Role.OWNER:
        return
    others = Membership.objects.active().filter(team_id=membership.team_id, role=Membership.Role.OWNER)
    if not others.exclude(pk=membership.pk).exists():
        raise Conflict("A team keeps at least one owner. Name another one first.", code="last_owner")


def _hand_over_service_accounts(actor: Actor, membership: Membership) -> None:
    accounts = Membership.objects.filter(responsible=membership, active=True)
    if not accounts.exists():
        return
    if actor.membership_id == membership.pk:
        raise Conflict("Somebody else must take over the service accounts first.", code="responsible")
    accounts.update(responsible_id=actor.membership_id)


def _end_access(membership: Membership) -> None:
    now = timezone.now()
    ApiKey.objects.filter(membership=membership, revoked_at__isnull=True).update(revoked_at=now)
    Machine.objects.filter(membership=membership, revoked_at__isnull=True).update(revoked_at=now)
    DeviceApproval.objects.filter(membership=membership).delete()
    Connection.objects.filter(membership=membership).delete()


def create_service_account(*, actor: Actor, name: str, responsible: Membership) -> Membership:
    """An account for what is nobody's: it sees granted projects only, cannot sign in, and a person answers for it."""
    require(actor, "accounts.manage_people")
    if responsible.team_id != actor.team_id or responsible.role not in _PERSON_ROLES or not responsible.active:
        raise Invalid("Somebody of the team must be responsible.", code="responsible")
    username = clean_username(name)
    with transaction.atomic():
        user = User(username=username, name=clean_name(name))
        user.set_unusable_password()
        user.save()
        membership = Membership.objects.create(
            team_id=actor.team_id, user=user, role=Membership.Role.SERVICE, responsible=responsible
        )
        record(actor, "service_account.created", membership, responsible=str(responsible.user))
        announce_membership(membership)
    return membership


def update_profile(
    *, actor: Actor, user: User, name: str | None = None, username: str | None = None, shortcuts: bool | None = None
) -> User:
    """Change how one is shown. Raises Invalid for a username that is taken or not acceptable."""
    require(actor, "accounts.change_profile")
    with transaction.atomic():
        if name is not None:
            user.name = clean_name(name) if name.strip() else ""
        if username is not None and username != user.username:
            user.username = clean_username(username, besides=user)
        if shortcuts is not None:
            user.shortcuts = shortcuts
        user.save(update_fields=["name", "username", "shortcuts"])
        record(actor, "profile.changed", user)
    return user


def clean_username(value: str, *, besides: User | None = None) -> str:
    """Letters, digits and ``. + - _``, free in any letter case; no ``@``, which sign-in takes for an address."""
    username = "-".join(value.split())[:150]
    try:
        UnicodeUsernameValidator()(username.replace("@", " "))
    except ValidationError:
        raise Invalid("Use letters, digits and . + - _ only.", code="username", field="username") from None
    others = User.objects.filter(username__iexact=username)
    if (others.exclude(pk=besides.pk) if besides else others).exists():
        raise Invalid("Somebody has this username.", code="username_taken", field="username")
    return username
