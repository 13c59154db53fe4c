"""How far the index is."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from stash.search.models import UNREADABLE, Segment, State, Waiting


@dataclass(frozen=True, slots=True)
class Backlog:
    """``oldest_seconds``: how long the oldest new thing has been waiting; ``waiting`` counts up to a thousand;
    ``unreadable``: things that could not be indexed, whatever was wrong with them."""

    waiting: int
    oldest_seconds: float
    segments: int
    unreadable: int = 0


def backlog() -> Backlog:
    new = Waiting.objects.filter(later=False).order_by("id")
    oldest = new.values_list("since", flat=True).first()
    return Backlog(
        waiting=Waiting.objects.all()[:1000].count(),
        oldest_seconds=round((timezone.now() - oldest).total_seconds(), 1) if oldest else 0.0,
        segments=Segment.objects.filter(live=True).count(),
        unreadable=int(State.objects.filter(name=UNREADABLE).values_list("value", flat=True).first() or 0),
    )
