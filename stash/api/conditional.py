"""Answers that a caller keeps: with an ETag of what they say, and 304 while they say the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response


def kept(request: Request, data: Any) -> Response:
    """``data`` (JSON), or 304 without a body when the caller's If-None-Match names it."""
    said = json.dumps(data, sort_keys=True, default=str).encode()
    etag = f'"{hashlib.sha256(said).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Authorization, Cookie"}
    known = {one.removeprefix("W/") for one in parse_etags(request.headers.get("If-None-Match", ""))}
    if known & {etag, "*"}:
        return Response(status=304, headers=headers)
    return Response(data, headers=headers)
