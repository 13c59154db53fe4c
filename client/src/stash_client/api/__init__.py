"""HTTP to a Stash server with the standard library alone.

The functions here are for one call on a connection of its own; ``Transport`` keeps its connection for several.
``stash_client.api.client.Stash`` knows what the server offers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Optional

from stash_client.api.errors import Refused, Unreachable
from stash_client.api.http import Answer, Request, Transport, json_request

if TYPE_CHECKING:
    from stash_client.events import JSON

__all__ = [
    "Answer",
    "Got",
    "Refused",
    "Request",
    "Transport",
    "Unreachable",
    "get",
    "json_request",
    "post",
    "post_form",
]


@dataclass(frozen=True)
class Got:
    """``body``: the JSON object, None when nothing changed since ``etag``."""

    body: Optional[dict[str, Any]]
    etag: str = ""


def post(url: str, body: JSON, *, key: Optional[str] = None, seconds: float = 20) -> dict[str, Any]:
    """POST JSON, return the JSON answer. Raises Unreachable or Refused."""
    return _once(json_request("POST", url, body, key=key), seconds, tries=1).object()


def post_form(url: str, fields: Mapping[str, str], *, seconds: float = 20) -> dict[str, Any]:
    """POST a form, as OAuth wants it. Raises Unreachable or Refused."""
    from urllib.parse import urlencode

    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return _once(Request("POST", url, headers, urlencode(fields).encode()), seconds, tries=1).object()


def get(url: str, *, key: Optional[str] = None, etag: Optional[str] = None, seconds: float = 20, tries: int = 1) -> Got:
    """GET a JSON object; with the ``etag`` of the last answer only what changed. Raises Unreachable or Refused."""
    answer = _once(json_request("GET", url, key=key, etag=etag), seconds, tries=tries)
    if answer.status == 304:
        return Got(None, etag or "")
    return Got(answer.object(), answer.headers.get("etag", ""))


def _once(request: Request, seconds: float, *, tries: int) -> Answer:
    transport = Transport()
    try:
        closing = {**request.headers, "Connection": "close"}
        return transport.send(replace(request, headers=closing), seconds=seconds, tries=tries)
    finally:
        transport.close()
