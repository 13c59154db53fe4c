"""What every page knows: the actor and the slug of the team it is in."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


def team(request: HttpRequest) -> dict[str, Any]:
    actor = getattr(request, "actor", None)
    return {"actor": actor, "team": actor.team_slug if actor else ""}
