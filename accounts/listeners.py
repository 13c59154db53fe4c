"""Who else must know when a person leaves: objects named in ``settings.STASH_LISTENERS``, called in the transaction."""

from __future__ import annotations

from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from accounts.models import Membership
from stash.actors import Actor


class PeopleListener(Protocol):
    """Short database work only; anything slow is a queued task."""

    def person_deactivated(self, *, actor: Actor, membership: Membership) -> None: ...


def tell_person_deactivated(*, actor: Actor, membership: Membership) -> None:
    for path in settings.STASH_LISTENERS:
        told = getattr(import_string(path), "person_deactivated", None)
        if told is not None:
            told(actor=actor, membership=membership)
