"""Changing a session from its page."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from sessions_app import selectors
from sessions_app.forms import TitleForm, VisibilityForm
from sessions_app.models import Session
from sessions_app.services import editing
from stash.errors import Invalid
from stash.pages import team_page


@require_POST
@team_page
def rename(request: HttpRequest, session_id: UUID) -> HttpResponse:
    session = selectors.get_session(request.actor, session_id)
    form = TitleForm(request.POST)
    if not form.is_valid():
        raise Invalid("A title has at most 200 characters.")
    editing.rename(actor=request.actor, session=session, title=form.cleaned_data["title"])
    return _answer(request, session, "sessions_app/_title.html")


@require_POST
@team_page
def set_visibility(request: HttpRequest, session_id: UUID) -> HttpResponse:
    session = selectors.get_session(request.actor, session_id)
    form = VisibilityForm(request.POST)
    if not form.is_valid():
        raise Invalid("Visibility is private or project.")
    editing.set_visibility(actor=request.actor, session=session, visibility=form.cleaned_data["visibility"])
    return _answer(request, session, "sessions_app/_who_sees.html")


def _answer(request: HttpRequest, session: Session, fragment: str) -> HttpResponse:
    """The changed fragment to htmx, the page again to a plain form."""
    if request.headers.get("HX-Request"):
        return render(request, fragment, {"session": session, "base": _url(request, session), "may_change": True})
    return redirect(_url(request, session))


@require_safe
@team_page
def confirm_delete(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """The question as a page of its own, for browsers without the dialog's script."""
    session = selectors.get_session(request.actor, session_id)
    return render(request, "sessions_app/delete.html", {"session": session, "base": _url(request, session)})


@require_POST
@team_page
def delete(request: HttpRequest, session_id: UUID) -> HttpResponse:
    session = selectors.get_session_to_delete(request.actor, session_id)
    editing.delete_session(actor=request.actor, session=session)
    messages.success(request, f"Deleted session {session.short_id} and its events.")
    return redirect(reverse("sessions:list", kwargs={"team": request.actor.team_slug}))


def _url(request: HttpRequest, session: Session) -> str:
    return reverse("sessions:detail", kwargs={"team": request.actor.team_slug, "session_id": session.pk})
