"""What can go wrong, as classes with a code; one handler per surface turns them into an answer (RFC 9457 over HTTP)."""

from __future__ import annotations

from typing import Any


class StashError(Exception):
    """``detail`` is a sentence for the reader; ``extra`` joins the problem document (ids, limits, winners)."""

    code = "error"
    status = 400
    title = "This could not be done"

    def __init__(self, detail: str = "", *, code: str | None = None, **extra: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.code = code or self.code
        self.extra = extra

    def as_problem(self) -> dict[str, Any]:
        """The RFC 9457 problem document."""
        return {
            "type": f"urn:stash:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            **self.extra,
        }


class BadRequest(StashError):
    code, status, title = "bad_request", 400, "The request is not understood"


class Invalid(StashError):
    code, status, title = "invalid", 422, "A value is not acceptable"


class NotFound(StashError):
    """Absent and forbidden alike, so that an id never tells whether something exists."""

    code, status, title = "not_found", 404, "There is nothing here that you can see"


class Forbidden(StashError):
    code, status, title = "forbidden", 403, "You may see this but not change it"


class Conflict(StashError):
    code, status, title = "conflict", 409, "Somebody else was first"


class TooLarge(StashError):
    code, status, title = "too_large", 413, "The request is too large"


class TooMany(StashError):
    code, status, title = "rate_limited", 429, "Too many requests"
