"""Connecting an agent: what to run, and waiting, live, for the first event of a new machine."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import selectors as people
from accounts.models import Connection, Machine
from sessions_app import selectors
from sessions_app.models import Event
from stash.actors import Actor
from stash.pages import team_page


@require_safe
@team_page
def connect(request: HttpRequest) -> HttpResponse:
    """``since``: when the wait for a first event began; now where nobody says."""
    facts = {
        "install": f'sh -c "$(curl -fsSL {settings.URL}/install)"',
        "sign_in": f"stash signin {settings.URL}",
        **heard(request.actor, _since(request)),
    }
    return render(request, "home/connect.html", facts)


@never_cache
@require_safe
@team_page
def listening(request: HttpRequest) -> HttpResponse:
    """The box that asks every two seconds; the one with the first event in it asks no more."""
    facts = heard(request.actor, _since(request)) | {"answer": True}
    return render(request, "home/_listening.html", facts)


def _since(request: HttpRequest) -> datetime:
    try:
        since = parse_datetime(request.GET.get("since", ""))
    except ValueError:
        since = None
    return since if since is not None and since.tzinfo is not None else timezone.now()


def heard(actor: Actor, since: datetime) -> dict[str, Any]:
    """What is known of the actor's newest machine, repository and first event after ``since``; for ``_listening``.

    ``now``: the number of the step that is to be done, 0 after the last.
    """
    machine = people.machines(actor).filter(revoked_at__isnull=True).order_by("-id").first()
    consent = people.connections(actor).order_by("-connected_at").first()
    event = selectors.first_event_since(actor, since)
    return {
        "since": since,
        "since_text": since.isoformat(),
        "event": event,
        "machine": machine,
        "consent": consent,
        "now": next((n for n, done in ((1, machine), (3, consent), (4, event)) if not done), 0),
        "checks": [_SERVER, _machine_check(machine), _consent_check(consent), _event_check(event)],
    }


_SERVER = {"state": "passed", "what": "Server", "seen": settings.URL, "end": "ok"}


def _machine_check(machine: Machine | None) -> dict[str, Any]:
    if machine is None:
        return {"state": "idle", "what": "Machine", "seen": "none is signed in yet"}
    seen = f"{machine.name} signed in"
    return {"state": "passed", "what": "Machine", "seen": seen, "at": machine.created_at}


def _consent_check(consent: Connection | None) -> dict[str, Any]:
    if consent is None:
        return {"state": "idle", "what": "Repository", "seen": "none is connected yet"}
    name = consent.project.name if consent.project else "everything"
    return {"state": "passed", "what": "Repository", "seen": f"{name} connected", "at": consent.connected_at}


def _event_check(event: Event | None) -> dict[str, Any]:
    if event is None:
        return {"state": "idle", "what": "First event", "seen": "nothing has arrived yet"}
    return {"state": "passed", "what": "First event", "seen": f"{event.session.harness}: {event.kind}", "end": "ok"}
