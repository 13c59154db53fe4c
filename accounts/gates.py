"""Pages for those who may, in the words of the permission table."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase

from stash.access import require
from stash.pages import View, team_page


def for_those_who(permission: str) -> Callable[[View], View]:
    """As ``team_page``, for people to whom the permission table says yes."""

    def decorate(view: View) -> View:
        @team_page
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            require(request.actor, permission)
            return view(request, *args, **kwargs)

        return guarded

    return decorate
