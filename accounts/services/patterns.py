"""Teams say what else is secret with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from accounts.models import TeamPattern
from accounts.services.names import clean_name
from accounts.services.teams import lock_team
from stash.access import require
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Invalid
from stash_client.privacy import PatternError, Patterns
from stash_client.privacy.patterns import MAX_PATTERNS

_FIELDS = frozenset(["type", "prefix", "chars", "min", "max", "names"])


def set_team_patterns(*, actor: Actor, patterns: Iterable[Mapping[str, Any]]) -> list[TeamPattern]:
    """Replace the team's redaction patterns: ``{"name": for people, **data form of stash_client.privacy.patterns}``.

    They hold for what is captured from now on, here at once and on machines as soon as they ask for their
    configuration. Raises Invalid naming the first that is not well formed; then nothing changes.
    """
    require(actor, "accounts.manage_people")
    rows = [_row(actor, number, item) for number, item in enumerate(patterns)]
    _check(rows)
    with transaction.atomic():
        team = lock_team(actor.team_id)
        TeamPattern.objects.filter(team=team).delete()
        TeamPattern.objects.bulk_create(rows)
        team.patterns_version += 1
        team.save(update_fields=["patterns_version"])
        record(actor, "team.patterns_changed", team, types=sorted({row.data["type"] for row in rows}))
    return rows


def _row(actor: Actor, number: int, item: Mapping[str, Any]) -> TeamPattern:
    data = {name: value for name, value in item.items() if name != "name"}
    if unknown := sorted(set(data) - _FIELDS):
        raise Invalid(f"Pattern {number + 1} has {unknown[0]!r}, which no pattern has.", code="pattern", index=number)
    name = item.get("name") or data.get("type") or ""
    if not isinstance(name, str):
        raise Invalid(f"The name of pattern {number + 1} is no text.", code="pattern", index=number)
    return TeamPattern(team_id=actor.team_id, name=clean_name(name), data=data, added_by_id=actor.user_id)


def _check(rows: list[TeamPattern]) -> None:
    """One by one, so that the answer can say which is wrong."""
    if len(rows) > MAX_PATTERNS:
        raise Invalid(f"A team has at most {MAX_PATTERNS} patterns.", code="pattern", limit=MAX_PATTERNS)
    for number, row in enumerate(rows):
        try:
            Patterns.compile([row.data])
        except PatternError as error:
            raise Invalid(f"Pattern {number + 1}: {error}.", code="pattern", index=number) from None
