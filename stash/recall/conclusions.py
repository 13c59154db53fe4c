"""How a matter ended in a session: what the agent said last about it, and what it left open."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from sessions_app.models import Event, Session
from stash.recall.searching import Hit
from stash.search.passages import Passage, passage

_LENGTH = 600
_MOST_TURNS = 2
_MOST_OPEN = 3
_OPEN = re.compile(
    r"\b(?:todo|fixme|still (?:open|unclear|unknown|fails?|failing|needs?|missing|to do)|not yet|unresolved|"
    r"open (?:question|point|issue|finding)s?|remains? (?:open|unclear|to)|left (?:open|to do)|next steps?|"
    r"follow[- ]up|do(?:es)? not know|don't know|unclear|could not (?:find|reproduce|verify|confirm))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Said:
    """A part of an event, with the number that leads to it."""

    number: int
    text: str
    at: datetime
    passage: Passage


@dataclass(frozen=True, slots=True)
class Ending:
    conclusions: Sequence[Said] = ()
    open: Sequence[Said] = ()


def ending_of(hit: Hit, words: Collection[str]) -> Ending:
    """The last reply of each turn that fits, then of the session if it is about the same; a few short queries."""
    replies = _replies(hit)
    about = [reply for reply in replies if passage(reply.text, words).words] or replies[:1]
    conclusions = [_said(reply, words) for reply in about]
    left_open = [found for reply in replies for found in _left_open(reply, words)]
    return Ending(conclusions, [*_waits(hit.session), *left_open][:_MOST_OPEN])


def _replies(hit: Hit) -> list[Event]:
    found: dict[int, Event] = {}
    replies = Event.objects.filter(session=hit.session, kind="reply")
    for unit in hit.units[:_MOST_TURNS]:
        if last := _newest(_of_turn(replies, unit.event)):
            found.setdefault(last.number, last)
    if last := _newest(replies):
        found.setdefault(last.number, last)
    return list(found.values())


def _of_turn(replies: QuerySet[Event], event: Event) -> QuerySet[Event]:
    """From this event on, until somebody types the next prompt."""
    prompts = Event.objects.filter(_after(event), session_id=event.session_id, kind="prompt")
    following = prompts.order_by("occurred_at", "n", "number").only("occurred_at", "number").first()
    turn = replies.filter(_after(event) | Q(pk=event.pk))
    return turn.exclude(_after(following)) if following else turn


def _after(event: Event) -> Q:
    return Q(occurred_at__gt=event.occurred_at) | Q(occurred_at=event.occurred_at, number__gt=event.number)


def _newest(replies: QuerySet[Event]) -> Event | None:
    return replies.order_by("-occurred_at", "-n", "-number").only("number", "text", "occurred_at").first()


def _said(reply: Event, words: Collection[str]) -> Said:
    shown = passage(reply.text, words, length=_LENGTH)
    return Said(reply.number, " ".join(shown.text.split()), reply.occurred_at, shown)


def _left_open(reply: Event, words: Collection[str]) -> list[Said]:
    sentences = (" ".join(one.split())[:300] for one in _SENTENCE.split(reply.text[:20_000]))
    return [Said(reply.number, one, reply.occurred_at, passage(one, words)) for one in sentences if _OPEN.search(one)]


def _waits(session: Session) -> list[Said]:
    if session.status != Session.Status.NEEDS_YOU or not session.waiting_for:
        return []
    text = f"It waits for its person: {' '.join(session.waiting_for.split())[:240]}"
    return [Said(session.events, text, session.status_since, passage(text, ()))]
