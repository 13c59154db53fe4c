"""The team of the demo: people, machines and consents, made once."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.authentication import actor_of_key, actor_of_membership
from accounts.models import ApiKey, Connection, Machine, Membership, Team, User
from accounts.services import accept_invitation, connect, create_team_with_owner, invite
from accounts.services.keys import issue_key
from sessions_app.models import Session
from stash.actors import Actor
from stash.home.demo.cast import OWNER, PLAYERS, TEAM, Player, identity_of
from stash_client import __version__

_SCOPES = ["capture", "read", "write"]


@dataclass(slots=True)
class Stage:
    """``actors``: who captures, by machine name."""

    team: Team
    owner: User
    actors: dict[str, Actor]


def demo_team() -> Team | None:
    """The team an earlier run made. Known by its owner's address, because a real team may be called Harbour too."""
    owners = Membership.objects.filter(user__email=OWNER.email, role=Membership.Role.OWNER)
    owned = owners.select_related("team").first()
    return owned.team if owned else None


def has_real_data() -> bool:
    """Somebody else's sessions are on this server."""
    return Session.objects.exclude(team=demo_team()).exists()


@transaction.atomic
def set_the_stage() -> Stage:
    """Everybody in place; what is there already stays as it is."""
    team = demo_team()
    if team is None:
        team = create_team_with_owner(user=_user_of(OWNER), name=TEAM).team
    memberships = [_membership_of(team, player) for player in PLAYERS]
    actors: dict[str, Actor] = {}
    for player, membership in zip(PLAYERS, memberships, strict=True):
        for name, platform in player.machines.items():
            actors[name] = actor_of_key(_key_of(membership, name, platform), channel="cli")
        for project in player.projects:
            if not Connection.objects.filter(membership=membership, project__slug=project).exists():
                agree(actors[next(iter(player.machines))], project, "project")
    return Stage(team, memberships[0].user, actors)


def agree(actor: Actor, project: str, visibility: str) -> None:
    """This person's new sessions in this project are private or shared."""
    connect(actor=actor, identities=[identity_of(project)], visibility=visibility, name=project)


def _user_of(player: Player) -> User:
    """Nobody can sign in as them with a password; their names give way to those of real people."""
    if user := User.objects.filter(email=player.email).first():
        return user
    taken = User.objects.filter(username__iexact=player.username).exists()
    user = User(username=f"{player.username}-demo" if taken else player.username, name=player.name, email=player.email)
    user.set_unusable_password()
    user.save()
    return user


def _membership_of(team: Team, player: Player) -> Membership:
    user = _user_of(player)
    if membership := Membership.objects.filter(team=team, user=user).select_related("team", "user").first():
        return membership
    owner = Membership.objects.select_related("team", "user").get(team=team, user__email=OWNER.email)
    _, url = invite(actor=actor_of_membership(owner), role=player.role)
    return accept_invitation(user=user, token=url.rstrip("/").rsplit("/", 1)[-1])


def _key_of(membership: Membership, name: str, platform: str) -> ApiKey:
    """A machine with a key that opens nothing: its secret is forgotten on the spot."""
    key = ApiKey.objects.filter(membership=membership, machine__name=name).first()
    if key is None:
        machine = Machine.objects.create(
            membership=membership,
            name=name,
            platform=platform,
            client_version=__version__,
            last_seen_at=timezone.now(),
        )
        key, _ = issue_key(membership=membership, name=name, scopes=_SCOPES, machine=machine)
    return ApiKey.objects.select_related("membership__user", "membership__team", "machine").get(pk=key.pk)
