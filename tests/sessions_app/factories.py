"""Sessions and events as rows, for tests of what reads them; capture has its own way in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sessions_app.models import Event, Session
from sessions_app.services import effects
from sessions_app.services.files import touch_files

START = datetime(2026, 11, 24, 13, 31, tzinfo=UTC)


def make_session(person, project=None, *, visibility: str = "", **fields: Any) -> Session:
    """A session of ``person`` (see tests.conftest.Person), shared with its project when it has one."""
    started = fields.pop("started_at", START)
    values = {
        "team_id": person.membership.team_id,
        "person": person.user,
        "project": project,
        "visibility": visibility or ("project" if project else "private"),
        "harness": "claude-code",
        "native_id": uuid4().hex,
        "title": "Stop double receipts",
        "title_source": "prompt",
        "branch": "fix/webhook-retry",
        "started_at": started,
        "last_event_at": started,
        "status_since": started,
    }
    return Session.objects.create(**{**values, **fields})


def make_event(kind: str = "note", at: datetime | int = 0, **fields: Any) -> Event:
    """An unsaved event; ``at``: a time, or seconds after START. Unknown fields go into the body."""
    columns = {field.name for field in Event._meta.get_fields()}
    row = {name: value for name, value in fields.items() if name in columns}
    body = {name: value for name, value in fields.items() if name not in columns}
    occurred = at if isinstance(at, datetime) else START + timedelta(seconds=at)
    row.setdefault("received_at", occurred)
    return Event(kind=kind, occurred_at=occurred, uid=uuid4(), digest="0" * 32, origins="h", **{"body": body, **row})


def add_events(session: Session, *events: Event) -> list[Event]:
    """Store them as capture would: numbered, counted, with their effects."""
    for event in events:
        event.session = session
    effects.absorb(session, list(events))
    Event.objects.bulk_create(events)
    touch_files(session, events)
    session.save()
    return list(events)


def complete(session: Session, event: Event, **fields: Any) -> Event:
    """A second delivery fills an event, which renews its seq."""
    session.last_seq += 1
    event.seq = session.last_seq
    for name, value in fields.items():
        setattr(event, name, value)
    event.save()
    session.save()
    return event


def fill(session: Session, count: int, **fields: Any) -> list[Event]:
    """``count`` tool calls, a second apart."""
    first = session.events
    call = {"name": "Bash", "family": "shell", "ok": True, "exit_code": 0, "output": "ok"}
    return add_events(
        session,
        *(
            make_event(
                "tool_call", first + n, n=first + n, **{**call, "input": {"command": f"echo {first + n}"}, **fields}
            )
            for n in range(count)
        ),
    )
