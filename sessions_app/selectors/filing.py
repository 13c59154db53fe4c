"""Sessions by the day and name they are filed under, for one project or one person. Each read is bounded by days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sessions_app.models import Event, Session, SessionQuerySet
from stash.actors import Actor


@dataclass(frozen=True, slots=True)
class Shelf:
    """Sessions of a project, or of a person, or of a person without a project."""

    project: UUID | None = None
    person: UUID | None = None
    loose: bool = False
    """Only those that belong to no project."""


def days(actor: Actor, shelf: Shelf, *, first: date, last: date, limit: int) -> Sequence[date]:
    """Days between these two on which something is filed, in order."""
    found = _on(actor, shelf).filter(filed_on__gte=first, filed_on__lte=last)
    rows = found.order_by("filed_on").values_list("filed_on", flat=True).distinct()[:limit]
    return [day for day in rows if day is not None]


def filed_between(actor: Actor, shelf: Shelf, first: date, last: date, *, limit: int) -> Sequence[Session]:
    """What is filed on these days, by name within each."""
    found = _on(actor, shelf).filter(filed_on__gte=first, filed_on__lte=last).select_related("person", "project")
    return sorted(found.order_by("filed_on", "id")[:limit], key=lambda session: (session.filed_on, session.filed_as))


def filed_as(actor: Actor, shelf: Shelf, day: date, name: str) -> Session | None:
    found = _on(actor, shelf).filter(filed_on=day, filed_as=name)
    return found.select_related("person", "project").first()


def recently_filed(actor: Actor, *, limit: int) -> Sequence[Session]:
    """Last event first."""
    found = Session.objects.visible_to(actor).filter(filed_on__isnull=False)
    return list(found.select_related("person", "project").order_by("-last_event_at", "-id")[:limit])


def first_prompt(session: Session) -> str:
    found = Event.objects.filter(session=session, kind="prompt").order_by("number").values_list("text", flat=True)
    return found.first() or ""


def last_reply(session: Session) -> str:
    found = Event.objects.filter(session=session, kind="reply").order_by("-number").values_list("text", flat=True)
    return found.first() or ""


def _on(actor: Actor, shelf: Shelf) -> SessionQuerySet:
    found = Session.objects.visible_to(actor)
    if shelf.project is not None:
        found = found.filter(project_id=shelf.project)
    if shelf.person is not None:
        found = found.filter(person_id=shelf.person)
    return found.filter(project__isnull=True) if shelf.loose else found
