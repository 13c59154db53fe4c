"""What every page of a team has in common: it needs a person in the team, and speaks of errors as pages do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse

from stash.errors import Forbidden, NotFound, StashError

View = Callable[..., HttpResponseBase]


def team_page(view: View) -> View:
    """``view(request, …)`` with ``request.actor`` set; the slug of the team stays in the address alone."""

    @wraps(view)
    def inner(request: HttpRequest, team: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if getattr(request, "actor", None) is None:
            return redirect_to_login(request.get_full_path())
        try:
            return view(request, *args, **kwargs)
        except NotFound:
            raise Http404 from None
        except Forbidden as error:
            raise PermissionDenied(error.detail) from None
        except StashError as error:
            if "HX-Request" not in request.headers:
                raise
            return JsonResponse(error.as_problem(), status=error.status, content_type="application/problem+json")

    return inner
