"""The lock of a team, and telling its watchers to look again at what they may see."""

from __future__ import annotations

from uuid import UUID

from accounts.models import Membership, Team
from stash import live


def lock_team(team_id: UUID) -> Team:
    """Serialises what must be decided one at a time in a team (owners left, identities taken). Inside atomic() only."""
    return Team.objects.select_for_update().get(pk=team_id)


def announce_membership(membership: Membership) -> None:
    """Watchers of the team and of the person check again what they may see."""
    live.announce(groups=(live.team_group(membership.team_id), live.user_group(membership.user_id)), hint="membership")


def announce_team(team_id: UUID) -> None:
    live.announce(groups=(live.team_group(team_id),), hint="membership")
