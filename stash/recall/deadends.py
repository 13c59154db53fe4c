"""Which events are known as dead ends: what was tried there failed, and somebody wrote it down."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from stash.actors import Actor

Place = tuple[UUID, int]
"""A session and the number of an event in it."""

Provider = Callable[[Actor, Collection[Place]], Mapping[Place, str]]
"""Of these places the dead ends, each with what is known of it; it shows an actor only what that actor may see."""


def dead_ends(actor: Actor, places: Collection[Place]) -> dict[Place, str]:
    """Asks all providers named in the setting, once for a whole page."""
    found: dict[Place, str] = {}
    if places:
        for path in settings.SEARCH_DEAD_ENDS:
            provider: Provider = import_string(path)
            found |= provider(actor, places)
    return found
