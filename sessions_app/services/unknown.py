"""Events no parser knows are kept as notes; counting them per harness version shows an operator what to teach next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from django.db.models import F
from django.utils import timezone

from sessions_app.models import Event, Session, UnknownSeen


def count_unknown(session: Session, events: Iterable[Event]) -> None:
    """Count the notes that a parser marked with ``extra.unknown``, by their name."""
    seen = Counter(event.name[:120] for event in events if event.body.get("extra", {}).get("unknown"))
    for name, times in seen.items():
        row, _ = UnknownSeen.objects.get_or_create(
            team_id=session.team_id,
            harness=session.harness,
            harness_version=session.harness_version,
            name=name,
            defaults={"last_seen_at": timezone.now()},
        )
        UnknownSeen.objects.filter(pk=row.pk).update(times=F("times") + times, last_seen_at=timezone.now())
