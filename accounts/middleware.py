"""Puts ``request.actor`` on every request: the signed-in person in the team the page is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from accounts.models import Membership
from stash.actors import Actor


class ActorMiddleware:
    """``request.actor`` is None for anonymous requests and people without a team; /t/<team>/ of others is a 404."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.actor = None
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> None:
        if "Authorization" in request.headers or not request.user.is_authenticated:
            return
        memberships = Membership.objects.active().filter(user=request.user).select_related("team", "user")
        if "team" in kwargs:
            memberships = memberships.filter(team__slug=kwargs["team"])
        membership = memberships.order_by("joined_at").first()
        if membership is None and "team" in kwargs:
            raise Http404
        request.actor = actor_of_membership(membership, request) if membership else None


def actor_of_membership(membership: Membership, request: HttpRequest) -> Actor:
    return Actor(
        user_id=membership.user_id,
        user_name=membership.user.display_name,
        team_id=membership.team_id,
        team_slug=membership.team.slug,
        membership_id=membership.pk,
        role=membership.role,
        ip=request.META.get("REMOTE_ADDR") or None,
    )
