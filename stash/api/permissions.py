"""DRF permissions: a request needs an Actor; a view may name the key scope it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

if TYPE_CHECKING:  # DRF imports this module while it loads its views
    from rest_framework.views import APIView

_SAFE = ("GET", "HEAD", "OPTIONS")


class HasActor(BasePermission):
    """Signed in, in a team, with the scope: ``view.scope``, or else read for safe methods and write for others."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        actor = getattr(request, "actor", None)
        if actor is None:
            return False
        scope = getattr(view, "scope", None) or ("read" if request.method in _SAFE else "write")
        return scope in actor.scopes
