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
from accounts.models import Machine
from sessions_app import selectors
from sessions_app.models import Event
from stash.actors import Actor
from stash.pages import team_page


@require_safe
@team_page
def connect(request: HttpRequest) -> HttpResponse:
    facts = {"sign_in": f"stash signin {settings.URL}", **_heard(request.actor, timezone.now())}
    return render(request, "home/connect.html", facts)


@never_cache
@require_safe
@team_page
def listening(request: HttpRequest) -> HttpResponse:
    """The box that asks every two seconds; the one with the first event in it asks no more."""
    return render(request, "home/_listening.html", _heard(request.actor, _since(request)))


def _since(request: HttpRequest) -> datetime:
    try:
        since = parse_datetime(request.GET.get("since", ""))
    except ValueError:
        since = None
    return since if since is not None and since.tzinfo is not None else timezone.now()


def _heard(actor: Actor, since: datetime) -> dict[str, Any]:
    machine = people.machines(actor).filter(revoked_at__isnull=True).order_by("-id").first()
    event = selectors.first_event_since(actor, since)
    checks = [
        {"state": "passed", "what": "Server", "seen": settings.URL, "end": "ok"},
        _machine_check(machine),
        _event_check(event),
    ]
    return {"since": since, "since_text": since.isoformat(), "event": event, "checks": checks}


def _machine_check(machine: Machine | None) -> dict[str, str]:
    if machine is None:
        return {"state": "idle", "what": "Machine", "seen": "none is signed in yet", "end": ""}
    return {"state": "passed", "what": "Machine", "seen": machine.name, "end": machine.client_version}


def _event_check(event: Event | None) -> dict[str, str]:
    if event is None:
        return {"state": "idle", "what": "First event", "seen": "nothing has arrived yet", "end": ""}
    return {"state": "passed", "what": "First event", "seen": f"{event.session.harness}: {event.kind}", "end": "ok"}
