"""Where agents that speak the Model Context Protocol connect: streamable HTTP, one POST for each message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.authentication import KeyAuthentication
from stash.api.bodies import read_body
from stash.mcp_server.protocol import answered

_PASSED_ON = ("content-type", "mcp-protocol-version", "mcp-method", "mcp-name")
_ACCEPTED = (b"accept", b"application/json, text/event-stream")
"""The answer is JSON, whatever somebody forgot to say they take."""


class HasKey(BasePermission):
    """Any key: each tool asks for its own scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return getattr(request, "actor", None) is not None


@extend_schema(exclude=True)
class McpView(APIView):
    """By key only: a page of a foreign site can make a browser send its cookies, but no key."""

    authentication_classes = [KeyAuthentication]
    permission_classes = [HasKey]
    parser_classes: list[Any] = []
    rate = "vfs"

    def post(self, request: Request) -> HttpResponse:
        sent = [(name.encode(), request.headers[name].encode()) for name in _PASSED_ON if name in request.headers]
        answer = answered(replace(request.actor, channel="mcp"), [_ACCEPTED, *sent], read_body(request._request))
        response = HttpResponse(answer.body, status=answer.status)
        for name, value in answer.headers:
            if name.lower() == b"content-type":
                response["Content-Type"] = value.decode("latin-1")
        return response
