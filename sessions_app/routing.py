"""WebSocket addresses, and which pages may open them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from channels.security.websocket import AllowedHostsOriginValidator
from django.urls import path, re_path

from sessions_app.consumers import ActivityConsumer, Nowhere, SessionConsumer

websocket_urlpatterns = [
    path("ws/sessions/<uuid:session_id>/", SessionConsumer.as_asgi()),
    path("ws/activity/", ActivityConsumer.as_asgi()),
    re_path("", Nowhere.as_asgi()),
]

Application = Callable[..., Awaitable[Any]]


def from_own_pages(application: Application) -> Application:
    """Browsers send cookies along from any page, so theirs needs our origin; a key is sent on purpose and does not."""
    guarded = AllowedHostsOriginValidator(application)

    async def route(scope: Any, receive: Any, send: Any) -> Any:
        by_key = any(name == b"authorization" for name, _ in scope.get("headers", ()))
        return await (application if by_key else guarded)(scope, receive, send)

    return route
