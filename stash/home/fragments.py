"""The moving part of home, for the page and for the socket."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from sessions_app import selectors
from stash.actors import Actor


def context_of(actor: Actor, now: selectors.Now) -> dict[str, Any]:
    return {"now": now, "actor": actor, "team": actor.team_slug}


def now_html(actor: Actor) -> SafeString:
    return render_to_string("home/_now.html", context_of(actor, selectors.now_of(actor)))
