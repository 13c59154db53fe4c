"""A session as a file. Stored bytes leave as attachments only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from sessions_app import selectors
from sessions_app.rendering.export import jsonl_of, markdown_of
from stash.pages import team_page

R = TypeVar("R", bound=HttpResponseBase)


@require_safe
@team_page
def transcript_md(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    session = selectors.get_session(request.actor, session_id)
    lines = markdown_of(session, selectors.in_display_order(session).iterator(chunk_size=200))
    return attachment(lines, "text/markdown; charset=utf-8", f"session-{session.short_id}.md")


@require_safe
@team_page
def events_jsonl(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    session = selectors.get_session(request.actor, session_id)
    lines = jsonl_of(selectors.in_display_order(session).iterator(chunk_size=200))
    return attachment(lines, "application/x-ndjson; charset=utf-8", f"session-{session.short_id}.jsonl")


@require_safe
@team_page
def raw_output(request: HttpRequest, session_id: UUID, number: int) -> HttpResponse:
    """The whole output of a tool call (``?part=diff``: its diff), byte for byte as stored."""
    session = selectors.get_session(request.actor, session_id)
    event = selectors.event_at(session, number)
    diff = request.GET.get("part") == "diff"
    text = str(event.body.get("diff") or "") if diff else event.output or event.text
    response = HttpResponse(text.encode("utf-8", "replace"), content_type="text/plain; charset=utf-8")
    return _closed(response, f"session-{session.short_id}-{number}.{'diff' if diff else 'txt'}")


def attachment(lines: Iterable[str], content_type: str, name: str) -> HttpResponseBase:
    """Streamed, so that a session of any length costs the memory of a few events."""
    return _closed(StreamingHttpResponse(lines, content_type=content_type), name)


def _closed(response: R, name: str) -> R:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Cache-Control"] = "private, no-store"
    return response
