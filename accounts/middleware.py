"""Puts ``request.actor`` on every request: the signed-in person in the team the page is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import page_not_found

from accounts.authentication import actor_of_membership, address_of
from accounts.models import Membership
from stash.errors import NotFound, StashError


class ActorMiddleware:
    """``request.actor`` is None for anonymous requests and people without a team; /t/<team>/ of others is a 404.

    What goes wrong in a page becomes a page in the same words the API uses.
    """

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
        request.actor = actor_of_membership(membership, ip=address_of(request)) if membership else None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, StashError):
            return None
        if isinstance(error, NotFound):
            return page_not_found(request, error)
        return render(request, "accounts/problem.html", {"problem": error}, status=error.status)
