"""The tree in a browser."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from stash.pages import team_page
from stash.vfs.browsing import place as place_of


@require_safe
@team_page
def place(request: HttpRequest, path: str = "") -> HttpResponse:
    """A folder or a file; a fragment for htmx."""
    found = place_of(request.actor, path.replace("\0", "\ufffd"))
    is_fragment = request.headers.get("HX-Request") and not request.headers.get("HX-Boosted")
    return render(request, "vfs/_place.html" if is_fragment else "vfs/place.html", {"place": found})
