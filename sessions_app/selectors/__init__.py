"""Reads. Every object is reached through a gate that answers NotFound alike for absent and forbidden."""

from sessions_app.selectors.events import (
    Window,
    commands,
    event_at,
    events_after,
    events_window,
    files,
    find,
    in_display_order,
    turns,
)
from sessions_app.selectors.now import Now, first_event_since, now_of
from sessions_app.selectors.sessions import (
    SessionFilters,
    SessionPage,
    children,
    counts,
    get_session,
    people,
    projects,
    rank,
    sessions,
    state_of,
)

__all__ = [
    "Now",
    "SessionFilters",
    "SessionPage",
    "Window",
    "children",
    "commands",
    "counts",
    "event_at",
    "events_after",
    "events_window",
    "files",
    "find",
    "first_event_since",
    "get_session",
    "in_display_order",
    "now_of",
    "people",
    "projects",
    "rank",
    "sessions",
    "state_of",
    "turns",
]
