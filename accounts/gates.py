"""What stands before every page of a team."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse

from stash.access import require
from stash.errors import Forbidden

View = Callable[..., HttpResponse]


def for_people(view: View) -> View:
    """Anonymous visitors sign in first; a person without a team is told so. ``request.actor`` is set afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if getattr(request, "actor", None) is None:
            if request.user.is_authenticated:
                raise Forbidden("You are in no team yet. Ask an owner or admin for an invitation.")
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **kwargs)

    return guarded


def for_those_who(permission: str) -> Callable[[View], View]:
    """As ``for_people``, and the permission table says yes."""

    def decorate(view: View) -> View:
        @for_people
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            require(request.actor, permission)
            return view(request, *args, **kwargs)

        return guarded

    return decorate
