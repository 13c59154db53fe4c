"""JSON log lines with request ids; what a person reads on a terminal when STASH_LOG=console.

No line holds a query string, a request body or a secret: requests are named by their route, and every text passes the
privacy boundary on its way out.
"""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

_ONE_TIME_LINK = re.compile(r"/(once|invitations)/[^/\s\"']+")
_QUERY = re.compile(r"(?<=[\w/])\?[^\s\"']+")
_KEPT = ("level", "logger", "timestamp", "request_id", "lineno")


def without_secrets(_: Any, __: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The last step before rendering; it sees messages of every library too."""
    from stash_client.privacy import scrub

    for name, value in line.items():
        if name not in _KEPT and value is not None and not isinstance(value, bool | int | float):
            text = _QUERY.sub("", _ONE_TIME_LINK.sub(r"/\1/…", str(value)))
            line[name] = str(scrub(text).value)
    return line


class RequestLog:
    """Middleware: gives every request an id that all lines written meanwhile carry, and says how it ended (INFO)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.log = structlog.get_logger("stash.request")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = uuid.uuid4().hex
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = request_id
            self.log.info("request", **_facts(request, response, time.perf_counter() - started))
            return response
        finally:
            structlog.contextvars.clear_contextvars()


def _facts(request: HttpRequest, response: HttpResponse, seconds: float) -> dict[str, Any]:
    match = request.resolver_match
    actor = getattr(request, "actor", None)
    return {
        "method": request.method,
        "route": match.route if match else "-",
        "status": response.status_code,
        "ms": round(seconds * 1000, 1),
        "user": str(actor.user_id) if actor else None,
    }


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]
_RENDER: Any = (
    structlog.dev.ConsoleRenderer() if os.environ.get("STASH_LOG") == "console" else structlog.processors.JSONRenderer()
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                without_secrets,
                _RENDER,
            ],
            "foreign_pre_chain": _SHARED,
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("STASH_LOG_LEVEL", "WARNING")},
    # Django's own handlers and its line for every 404 would double what we say.
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.request": {"level": "ERROR"},
        "django.server": {"handlers": [], "propagate": True},
    },
}
structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *_SHARED,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
