"""A session as a file. Stored bytes leave as attachments only."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from sessions_app import selectors
from sessions_app.models import Session
from sessions_app.rendering.export import jsonl_of, markdown_of
from stash.pages import team_page
from stash.streaming import streamed

R = TypeVar("R", bound=HttpResponseBase)


@require_safe
@team_page
def transcript_md(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    return markdown_file(request, selectors.get_session(request.actor, session_id))


@require_safe
@team_page
def events_jsonl(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    return jsonl_file(request, selectors.get_session(request.actor, session_id))


@require_safe
@team_page
def raw_output(request: HttpRequest, session_id: UUID, number: int) -> HttpResponse:
    """The whole output of a tool call (``?part=diff``: its diff) or text of an event, as it is stored."""
    session = selectors.get_session(request.actor, session_id)
    event = selectors.event_at(session, number)
    diff = request.GET.get("part") == "diff"
    text = str(event.body.get("diff") or "") if diff else event.output or event.text
    response = HttpResponse(text.encode("utf-8", "replace"), content_type="text/plain; charset=utf-8")
    return _closed(response, f"session-{session.short_id}-{number}.{'diff' if diff else 'txt'}")


def markdown_file(request: HttpRequest, session: Session) -> HttpResponseBase:
    """Streamed, so that a session of any length costs the memory of a page of events."""
    pieces = markdown_of(session, selectors.pages(session))
    return _closed(streamed(request, pieces, "text/markdown; charset=utf-8"), f"session-{session.short_id}.md")


def jsonl_file(request: HttpRequest, session: Session) -> HttpResponseBase:
    pieces = jsonl_of(selectors.pages(session))
    return _closed(streamed(request, pieces, "application/x-ndjson"), f"session-{session.short_id}.jsonl")


def _closed(response: R, name: str) -> R:
    """Nothing in it can run, whatever the browser takes it for."""
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Cache-Control"] = "private, no-store"
    return response
