"""Puts ``request.actor`` on every request: the signed-in person in the team the page is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import bad_request, page_not_found

from accounts.authentication import actor_of_membership, address_of
from accounts.models import Membership
from stash.errors import NotFound, StashError

_ENTRANCES = ("/accounts/", "/identity/")
"""Pages of the sign-in packages, which hand what they are sent to the database as it is."""


class ActorMiddleware:
    """``request.actor`` is None for anonymous requests and people without a team; /t/<team>/ of others is a 404.

    What goes wrong in a page becomes a page in the same words the API uses.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.actor = None
        if request.path.startswith(_ENTRANCES) and _has_nul(request):
            return bad_request(request, SuspiciousOperation())
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


def _has_nul(request: HttpRequest) -> bool:
    """PostgreSQL refuses NUL in any text; no form of these pages has a use for it."""
    if "%00" in request.META.get("QUERY_STRING", ""):
        return True
    sent = request.POST.lists() if request.method == "POST" else ()
    return any("\x00" in value for name, values in sent for value in (name, *values))
