"""What happens at this moment: one's own agents, and the team's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from sessions_app.models import Event, Session
from sessions_app.selectors.sessions import OPEN_FOR, rank
from stash.actors import Actor

_MOST = 60
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Ask:
    """A session that waits for its person: ``what`` (permission or question), ``text``, and the command, whole."""

    session: Session
    what: str
    text: str
    command: str


@dataclass(frozen=True, slots=True)
class Now:
    """``asks`` wait for this person; ``mine`` are this person's agents, those included; ``team`` everybody else's."""

    asks: Sequence[Ask]
    mine: Sequence[Session]
    team: Sequence[Session]

    @property
    def running(self) -> int:
        return sum(session.status == Session.Status.WORKING for session in self.team)


def now_of(actor: Actor) -> Now:
    """Bounded queries: open sessions and those of the last day, the ones that need somebody first."""
    recent = Session.objects.visible_to(actor).top_level().select_related("person", "project")
    fresh = recent.filter(last_event_at__gte=timezone.now() - OPEN_FOR).order_by("-last_event_at", "-id")
    mine = _by_rank(fresh.filter(person_id=actor.user_id)[:_MOST])
    open_now = ~Q(status=Session.Status.ENDED)
    team = _by_rank(fresh.filter(open_now).exclude(person_id=actor.user_id)[:_MOST])
    waiting = [session for session in mine if session.status == Session.Status.NEEDS_YOU]
    return Now(asks=_asks(waiting), mine=mine[:_SHOWN], team=team[:_SHOWN])


def _asks(waiting: Sequence[Session]) -> list[Ask]:
    """What each waits for; a session whose last event is something else says it in one text."""
    if not waiting:
        return []
    latest = Q()
    for session in waiting:
        latest |= Q(session_id=session.pk, seq=session.last_seq)
    said = {event.session_id: event for event in Event.objects.filter(latest, kind="attention")}
    return [_ask(session, said.get(session.pk)) for session in waiting]


def _ask(session: Session, event: Event | None) -> Ask:
    if event is None:
        return Ask(session, "question", session.waiting_for, "")
    return Ask(session, event.body.get("what") or "permission", event.text, event.body.get("command") or "")


def _by_rank(found: Iterable[Session]) -> list[Session]:
    return sorted(found, key=rank)


def first_event_since(actor: Actor, since: datetime) -> Event | None:
    """An event of this person that reached the server since then: what a new machine waits for."""
    mine = Session.objects.filter(person_id=actor.user_id, team_id=actor.team_id)
    recent = list(mine.order_by("-last_event_at", "-id").values_list("pk", "last_seq")[:5])
    if not recent:
        return None
    latest = Q()
    for pk, seq in recent:
        latest |= Q(session_id=pk, seq=seq)
    return (
        Event.objects.filter(latest, received_at__gte=since).select_related("session").order_by("received_at").first()
    )
