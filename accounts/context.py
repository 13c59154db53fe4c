"""What every page knows: the actor, the slug of the team it is in, whether this server sends mail."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def team(request: HttpRequest) -> dict[str, Any]:
    actor = getattr(request, "actor", None)
    return {"actor": actor, "team": actor.team_slug if actor else "", "has_mail": settings.HAS_MAIL}
