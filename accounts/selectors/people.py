"""People, their keys and machines, and the links that invite others."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from accounts.authentication import digest_of
from accounts.models import ApiKey, Connection, Invitation, Machine, Membership, ProjectGrant, User
from stash.access import gate, require
from stash.actors import Actor


def people(actor: Actor) -> QuerySet[Membership]:
    """Everybody in the team, service accounts too, those who left last."""
    return (
        Membership.objects.visible_to(actor)
        .select_related("user", "team", "responsible__user")
        .annotate(usable_keys=Count("keys", filter=Q(keys__revoked_at__isnull=True)))
        .order_by("-active", "user__username")
    )


def service_accounts(actor: Actor) -> QuerySet[Membership]:
    return people(actor).filter(role=Membership.Role.SERVICE)


def get_membership(actor: Actor, membership_id: UUID | str) -> Membership:
    return gate(Membership.objects.visible_to(actor).select_related("user", "team"), pk=membership_id)


def memberships_of(user: User) -> QuerySet[Membership]:
    """The teams a person is in, oldest first."""
    return Membership.objects.active().filter(user=user).select_related("team", "user").order_by("joined_at")


def keys(actor: Actor) -> QuerySet[ApiKey]:
    """The actor's own keys; those that are over stay listed until their row is removed."""
    return ApiKey.objects.visible_to(actor).select_related("machine")


def get_key(actor: Actor, key_id: UUID | str) -> ApiKey:
    """One's own key; for those who govern people, any key of the team."""
    visible = ApiKey.objects.visible_to(actor)
    if actor.administers:
        visible = ApiKey.objects.filter(membership__team_id=actor.team_id)
    return gate(visible.select_related("machine", "membership__user"), pk=key_id)


def machines(actor: Actor) -> QuerySet[Machine]:
    return Machine.objects.visible_to(actor).order_by(F("revoked_at").asc(nulls_first=True), "-id")


def get_machine(actor: Actor, machine_id: UUID | str) -> Machine:
    visible = Machine.objects.visible_to(actor)
    if actor.administers:
        visible = Machine.objects.filter(membership__team_id=actor.team_id)
    return gate(visible.select_related("membership__user"), pk=machine_id)


def get_current_machine(actor: Actor) -> Machine:
    """The machine whose key this is. Raises NotFound for a key made by hand and for a browser."""
    return gate(Machine.objects.visible_to(actor).select_related("membership__user"), pk=actor.machine_id)


def invitations(actor: Actor) -> QuerySet[Invitation]:
    """Open invitations of the team, for those who may invite."""
    require(actor, "accounts.manage_people")
    return Invitation.objects.open(timezone.now()).filter(team_id=actor.team_id).select_related("invited_by")


def get_invitation(actor: Actor, invitation_id: UUID | str) -> Invitation:
    return gate(invitations(actor), pk=invitation_id)


def invitation_behind(token: str) -> Invitation | None:
    """The open invitation a link leads to; None when it is used, revoked, expired or never was."""
    return (
        Invitation.objects.open(timezone.now())
        .filter(digest=digest_of(token))
        .select_related("team", "invited_by")
        .first()
    )


def get_connection(actor: Actor, connection_id: UUID | str) -> Connection:
    mine = Connection.objects.filter(membership_id=actor.membership_id)
    return gate(mine.select_related("project"), pk=connection_id)


def get_grant(actor: Actor, grant_id: int | str) -> ProjectGrant:
    require(actor, "accounts.manage_people")
    return gate(
        ProjectGrant.objects.filter(project__team_id=actor.team_id).select_related("membership__user", "project"),
        pk=grant_id,
    )


def get_service_account(actor: Actor, membership_id: UUID | str) -> Membership:
    require(actor, "accounts.manage_people")
    visible = Membership.objects.visible_to(actor).filter(role=Membership.Role.SERVICE)
    return gate(visible.select_related("user", "team", "responsible__user"), pk=membership_id)
