"""What a team calls secret, as data for clients and compiled for the server's own boundary."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from uuid import UUID

from accounts.models import TeamPattern
from stash.access import require
from stash.actors import Actor
from stash_client.privacy import BUILTIN, Patterns


def team_patterns(actor: Actor) -> list[TeamPattern]:
    """For those who govern the team; what holds for everybody's captures comes from ``pattern_data``."""
    require(actor, "accounts.manage_people")
    return list(TeamPattern.objects.filter(team_id=actor.team_id))


def pattern_data(actor: Actor) -> list[dict[str, Any]]:
    """What clients of the team look for, in their data form."""
    if not actor.patterns:
        return []
    return list(TeamPattern.objects.filter(team_id=actor.team_id).values_list("data", flat=True))


def patterns_of(actor: Actor) -> Patterns:
    """What the boundary removes from what this actor sends: everybody's patterns and those of its team."""
    return _compiled(actor.team_id, actor.patterns) if actor.patterns else BUILTIN


@lru_cache(maxsize=256)
def _compiled(team_id: UUID, version: int) -> Patterns:
    """Asked once per version and process; whoever reads while a version changes gets the later rows at worst."""
    return Patterns.compile(TeamPattern.objects.filter(team_id=team_id).values_list("data", flat=True))
