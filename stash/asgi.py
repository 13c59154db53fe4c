"""ASGI entry point: HTTP and WebSockets in one process (daphne)."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stash.settings")
http = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402  (models load only after the line above)
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from sessions_app.routing import from_own_pages, websocket_urlpatterns  # noqa: E402

application = ProtocolTypeRouter(
    {"http": http, "websocket": from_own_pages(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))}
)
