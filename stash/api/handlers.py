"""What Django answers when no view does, in the words of the API below /api/ and as pages elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views import defaults

from stash.api.errors import PROBLEM, as_stash_error
from stash.errors import BadRequest, Forbidden, NotFound, StashError


class Fault(StashError):
    code, status, title = "fault", 500, "Something went wrong here; it was written down"


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _problem(NotFound()) if _is_api(request) else defaults.page_not_found(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _problem(Forbidden()) if _is_api(request) else defaults.permission_denied(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return _problem(BadRequest()) if _is_api(request) else defaults.bad_request(request, exception)


def fault(request: HttpRequest) -> HttpResponseBase:
    """A database that is busy or gone is no fault of ours and will be back, whoever asked for it."""
    known = as_stash_error(error) if isinstance(error := sys.exc_info()[1], Exception) else None
    problem = known if known is not None and known.status == 503 else Fault()
    if _is_api(request):
        return _problem(problem)
    return _retried(defaults.server_error(request), problem)


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


def _problem(problem: StashError) -> HttpResponse:
    answer = JsonResponse(problem.as_problem(), status=problem.status, content_type=PROBLEM)
    return _retried(answer, problem)


def _retried(answer: HttpResponse, problem: StashError) -> Any:
    answer.status_code = problem.status
    if "retry_after" in problem.extra:
        answer["Retry-After"] = str(problem.extra["retry_after"])
    return answer
