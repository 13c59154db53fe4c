"""Which sessions may hold a text: asked before they are rendered, so that a search renders little in vain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, TextField, Value
from django.db.models.functions import Cast, StrIndex
from django.db.models.lookups import GreaterThan

from sessions_app.models import Event, Session
from sessions_app.rendering.export import FIXED_WORDS, front_of

_AT_ONCE = 400


def sessions_holding(sessions: Sequence[Session], needle: str, *, fold: bool) -> set[UUID]:
    """Those whose transcript can contain ``needle``: letters, digits and ``_./:=-``, which rendering leaves alone.

    Never leaves out one that does: what a transcript says beside its events is looked through here.
    """
    wanted = needle.casefold() if fold else needle
    held = {session.pk for session in sessions if wanted in _beside_events(session, fold=fold)}
    rest = [session.pk for session in sessions if session.pk not in held]
    for at in range(0, len(rest), _AT_ONCE):
        held.update(_in_events(rest[at : at + _AT_ONCE], needle, fold=fold))
    return held


def _beside_events(session: Session, *, fold: bool) -> str:
    said = f"{front_of(session)} {session.person.display_name} {session.harness} {FIXED_WORDS}"
    return said.casefold() if fold else said


def _any(conditions: Iterable[GreaterThan]) -> Q:
    return reduce(or_, (Q(condition) for condition in conditions))


def _in_events(ids: Sequence[UUID], needle: str, *, fold: bool) -> Iterator[UUID]:
    """Asked session by session, because the first event that holds it is enough."""
    events = Event.objects.filter(session=OuterRef("pk"))
    if fold:
        events = events.annotate(fields=Cast("body", TextField())).filter(
            Q(text__icontains=needle)
            | Q(output__icontains=needle)
            | Q(name__icontains=needle)
            | Q(fields__icontains=needle)
        )
    else:
        texts = ("text", "output", "name", Cast("body", TextField()))
        events = events.filter(_any(GreaterThan(StrIndex(text, Value(needle)), 0) for text in texts))
    yield from Session.objects.filter(Exists(events), pk__in=ids).values_list("pk", flat=True)
