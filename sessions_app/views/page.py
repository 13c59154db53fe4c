"""The page of one session and the fragments it loads."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sessions_app import selectors
from sessions_app.models import Session
from sessions_app.rendering.events import EventView, child_of
from sessions_app.rendering.facts import facts_of
from sessions_app.rendering.fragments import base_url, views_of
from sessions_app.rendering.output import middle_of
from sessions_app.rendering.text import one_line
from sessions_app.services import editing
from stash.access import allowed
from stash.errors import NotFound
from stash.pages import team_page

_FIRST_ROWS = 60
_MOST_FILES = 60
_MOST_PROGRAMS = 24


@require_safe
@team_page
def detail(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """The whole page around ``?at=``, before or after a number, or the latest events; each bounded."""
    session = selectors.get_session(request.actor, session_id)
    editing.note_opening(actor=request.actor, session=session)
    context = _window(request, session)
    context |= _files(session)
    context |= {
        "chips": _chips(context["base"], context["kinds"], session),
        "may_change": allowed(request.actor, "sessions.change", session),
        "may_delete": allowed(request.actor, "sessions.delete", session),
        "mine": session.person_id == request.actor.user_id,
        "at": _number(request, "at"),
        "find": request.GET.get("q", "")[:200],
    }
    return render(request, "sessions_app/session.html", context)


def _files(session: Session) -> dict[str, Any]:
    files = selectors.files(session, _MOST_FILES + 1)
    rows = [
        {"path": one_line(file.path, 500), "added": file.lines_added, "removed": file.lines_removed}
        for file in files[:_MOST_FILES]
    ]
    return {"files": rows, "more_files": len(files) > _MOST_FILES, "facts": facts_of(session)}


_CHIPS = (("", "All"), ("prompts", "Prompts"), ("replies", "Replies"), ("edits", "Edits"), ("failures", "Failures"))


def _chips(base: str, current: str, session: Session) -> list[dict[str, Any]]:
    counts = {"prompts": session.prompts, "edits": session.edits, "failures": session.failures}
    return [
        {
            "value": value,
            "label": label,
            "url": f"{base}?kind={value}" if value else base,
            "current": value == current,
            "count": counts.get(value),
            "glyph": "failed" if value == "failures" else "",
        }
        for value, label in _CHIPS
    ]


@require_safe
@team_page
def event_window(request: HttpRequest, session_id: UUID) -> HttpResponse:
    session = selectors.get_session(request.actor, session_id)
    return render(request, "sessions_app/_events.html", _window(request, session))


def _window(request: HttpRequest, session: Session) -> dict[str, Any]:
    kinds = request.GET.get("kind", "")
    kinds = kinds if kinds in selectors.KIND_FILTERS else ""
    window = selectors.events_window(
        session,
        around=_number(request, "at"),
        before=_number(request, "before"),
        after=_number(request, "after"),
        kinds=kinds,
    )
    identities = {found for event in window.events if (found := child_of(event))}
    return {
        "session": session,
        "base": base_url(session, request.actor.team_slug),
        "views": views_of(
            window.events, session, request.actor.team_slug, selectors.children(request.actor, identities)
        ),
        "older": window.events[0].number if window.events and window.older else None,
        "newer": window.events[-1].number if window.events and window.newer else None,
        "kinds": kinds,
        "seq": max((event.seq for event in window.events), default=0),
    }


def _views(request: HttpRequest, session: Session, window: selectors.Window) -> list[EventView]:
    identities = {found for event in window.events if (found := child_of(event))}
    return views_of(window.events, session, request.actor.team_slug, selectors.children(request.actor, identities))


@require_safe
@team_page
def find(request: HttpRequest, session_id: UUID) -> JsonResponse:
    """``{"numbers": [...]}`` of the events that contain ``?q=``, folded and unloaded ones included."""
    session = selectors.get_session(request.actor, session_id)
    return JsonResponse({"numbers": selectors.find(session, request.GET.get("q", ""))})


@require_safe
@team_page
def output_middle(request: HttpRequest, session_id: UUID, number: int) -> HttpResponse:
    """The lines behind the fold of a long output."""
    session = selectors.get_session(request.actor, session_id)
    event = selectors.event_at(session, number)
    failed = event.ok is False or bool(event.exit_code)
    return HttpResponse(middle_of(event.output or "", failed=failed))


@require_safe
@team_page
def commands(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """The panel of commands; loaded by itself, because it reads more of a long session than the page does."""
    session = selectors.get_session(request.actor, session_id)
    return render(request, "sessions_app/_commands.html", _commands(request, session))


@require_safe
@team_page
def side(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """The whole side again, while the session runs."""
    session = selectors.get_session(request.actor, session_id)
    context = {"session": session, "base": base_url(session, request.actor.team_slug)}
    return render(request, "sessions_app/_side.html", context | _files(session) | _commands(request, session))


def _commands(request: HttpRequest, session: Session) -> dict[str, Any]:
    found = selectors.commands(session)
    base = base_url(session, request.actor.team_slug)
    rows = [
        {
            "text": one_line(command.program, 80),
            "state": "failed" if command.failures else "passed",
            "times": command.times,
            "url": f"{base}?at={command.last}#e{command.last}",
        }
        for command in found.rows[:_MOST_PROGRAMS]
    ]
    return {
        "commands": rows,
        "tally": f"{found.total}+" if found.capped else str(found.total),
        "failed": f"{found.failures} failed" if found.failures else "",
    }


@require_safe
@team_page
def turns(request: HttpRequest, session_id: UUID) -> HttpResponse:
    session = selectors.get_session(request.actor, session_id)
    found = selectors.turns(session)
    return (
        render(request, "ui/_turns.html", {"turns": found})
        if found
        else HttpResponse('<nav class="turns" hidden></nav>')
    )


@require_safe
@team_page
def subagent(request: HttpRequest, session_id: UUID, child_id: UUID) -> HttpResponse:
    """Tool rows of a subagent inside its parent. A subagent of a subagent opens its own page."""
    parent = selectors.get_session(request.actor, session_id)
    child = selectors.get_session(request.actor, child_id)
    if child.parent_id != parent.pk:
        raise NotFound()
    window = selectors.events_window(child, kinds="tools", limit=_FIRST_ROWS)
    context = {
        "session": child,
        "base": base_url(child, request.actor.team_slug),
        "views": _views(request, child, window),
        "earlier": window.older,
        "deep": parent.parent_id is not None,
    }
    return render(request, "sessions_app/_subagent_rows.html", context)


def _number(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
