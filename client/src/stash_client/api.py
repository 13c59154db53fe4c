"""HTTP to a Stash server with the standard library alone."""

from __future__ import annotations

import gzip
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from stash_client import __version__
from stash_client.events import JSON

_PACK_ABOVE = 2048


class Unreachable(Exception):
    """No answer, or one that says "later" (429, 5xx): try again."""


class Refused(Exception):
    """The server understood and said no; ``problem`` is its RFC 9457 document."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or problem.get("error_description") or f"HTTP {status}")
        self.status, self.problem = status, problem

    @property
    def is_ours(self) -> bool:
        """Whether Stash said it, not something on the way there."""
        return str(self.problem.get("type", "")).startswith("urn:stash:problem:")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key is never carried to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def post(url: str, body: JSON, *, key: str | None = None, seconds: float = 20) -> dict[str, Any]:
    """POST JSON, return the JSON answer. Raises Unreachable or Refused."""
    data = json.dumps(body, ensure_ascii=True).encode()
    headers = {"Content-Type": "application/json"}
    if len(data) > _PACK_ABOVE:
        data, headers["Content-Encoding"] = gzip.compress(data, 5), "gzip"
    return _send(url, data, headers, key, seconds)


def call(method: str, url: str, body: JSON = None, *, key: str | None = None, seconds: float = 20) -> dict[str, Any]:
    """Any other request; None is no body. Raises Unreachable or Refused."""
    data = None if body is None else json.dumps(body, ensure_ascii=True).encode()
    return _send(url, data, {"Content-Type": "application/json"} if data else {}, key, seconds, method)


def post_form(url: str, fields: dict[str, str], *, seconds: float = 20) -> dict[str, Any]:
    """POST a form, as OAuth wants it. Raises Unreachable or Refused."""
    data = urllib.parse.urlencode(fields).encode()
    return _send(url, data, {"Content-Type": "application/x-www-form-urlencoded"}, None, seconds)


def _send(
    url: str, data: bytes | None, headers: dict[str, str], key: str | None, seconds: float, method: str = "POST"
) -> dict[str, Any]:
    if not url.startswith(("http://", "https://")):
        raise Unreachable(f"{url} is not an http address")
    request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 (scheme checked above)
    request.add_header("User-Agent", f"stash-client/{__version__}")
    if key:
        request.add_unredirected_header("Authorization", f"Bearer {key}")
    try:
        with _opener.open(request, timeout=seconds) as answer:
            return _object(answer.read())
    except urllib.error.HTTPError as error:
        if error.code == 429 or error.code >= 500:
            raise Unreachable(f"the server answered {error.code}") from None
        raise Refused(error.code, _problem_of(error)) from None
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(str(getattr(error, "reason", error))) from None


def _problem_of(error: urllib.error.HTTPError) -> dict[str, Any]:
    try:
        return _object(error.read())
    except (OSError, http.client.HTTPException):
        return {}


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
