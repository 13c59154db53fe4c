"""Events and sessions as HTML: the same fragments for the page, for htmx and for the socket."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from sessions_app.models import Event, Session
from sessions_app.rendering.events import EventView, view_of


def base_url(session: Session, team: str) -> str:
    return reverse("sessions:detail", kwargs={"team": team, "session_id": session.pk})


def view_html(view: EventView, session: Session, team: str) -> SafeString:
    """One event; nothing in it depends on who reads it, so every watcher gets the same bytes."""
    return render_to_string(
        "sessions_app/_event.html", {"view": view, "session": session, "base": base_url(session, team), "team": team}
    )


def views_of(
    events: Iterable[Event], session: Session, team: str, children: Mapping[UUID, Session] | None = None
) -> list[EventView]:
    base = base_url(session, team)
    return [view_of(event, children, base) for event in events]


def head_html(session: Session, team: str) -> SafeString:
    """What changes in a session's header while it runs: state, counters, trace."""
    return render_to_string(
        "sessions_app/_live_head.html", {"session": session, "base": base_url(session, team), "team": team}
    )


def row_html(session: Session, team: str, *, mine: bool) -> SafeString:
    """A row of the list; ``mine`` marks the reader's own."""
    owner = session.person_id if mine else None
    return render_to_string("sessions_app/_row.html", {"session": session, "team": team, "owner": owner})
