"""Every error leaves the API as an RFC 9457 problem document."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from stash.errors import BadRequest, Forbidden, Invalid, NotFound, StashError, TooLarge, TooMany

PROBLEM = "application/problem+json"


class SignInNeeded(StashError):
    code, status, title = "unauthenticated", 401, "Sign in or send a valid key"


class Unavailable(StashError):
    code, status, title = "unavailable", 503, "The database is busy; try again"


def as_stash_error(error: Exception) -> StashError | None:
    """The error in our own words, or None when it is a fault of ours."""
    match error:
        case StashError():
            return error
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            code = str(error.detail.code) if isinstance(error.detail, exceptions.ErrorDetail) else ""
            return SignInNeeded(str(error.detail), code=code if code.startswith("key_") else None)
        case exceptions.PermissionDenied() | PermissionDenied():
            return Forbidden("This key or role does not allow it.")
        case exceptions.NotFound() | Http404():
            return NotFound()
        case exceptions.Throttled():
            return TooMany("Slow down; see Retry-After.", retry_after=max(1, round(getattr(error, "wait", None) or 1)))
        case exceptions.ValidationError():
            return Invalid("Some fields are not acceptable.", errors=error.get_full_details())
        case exceptions.ParseError():
            return BadRequest(str(error.detail))
        case RequestDataTooBig():
            return TooLarge()
        case exceptions.APIException():
            return _generic(error)
        case OperationalError() | InterfaceError():
            return Unavailable(retry_after=2)
    return None


def _generic(error: exceptions.APIException) -> StashError:
    problem = StashError(str(error.detail), code=str(error.default_code))
    problem.status = error.status_code
    return problem


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's EXCEPTION_HANDLER. None lets Django log the fault and answer 500."""
    problem = as_stash_error(error)
    if problem is None:
        return None
    from rest_framework.views import set_rollback  # it imports the settings that name this module

    set_rollback()
    response = Response(problem.as_problem(), status=problem.status, content_type=PROBLEM)
    if "retry_after" in problem.extra:
        response["Retry-After"] = str(problem.extra["retry_after"])
    if problem.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response
