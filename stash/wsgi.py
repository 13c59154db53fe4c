"""WSGI entry point: the web and API processes of a team deployment (no WebSockets)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stash.settings")
application = get_wsgi_application()
