"""The one upward seam: what apps above sessions and people may hear, inside the transaction that changed something.

Listeners are named in ``settings.STASH_LISTENERS`` (dotted paths of objects or modules). They do short database work;
everything slow they queue. An error in one undoes the whole act, so that nothing half happened.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from django.conf import settings
from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from django.db.models import Model

    from stash.actors import Actor


@runtime_checkable
class Listener(Protocol):
    """``session`` is a sessions_app Session, ``membership`` an accounts Membership; a listener takes what it needs."""

    def session_opened(self, actor: Actor, session: Model) -> None: ...
    def session_prompted(self, actor: Actor, session: Model) -> None: ...
    def turn_ended(self, actor: Actor, session: Model) -> None: ...
    def session_ended(self, actor: Actor | None, session: Model) -> None: ...
    def person_deactivated(self, actor: Actor, membership: Model) -> None: ...


@lru_cache(maxsize=8)
def _load(paths: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(import_string(path) for path in paths)


def tell(what: str, actor: Actor | None, subject: Model) -> None:
    """Call ``what`` on every listener that has it. ``actor`` is None when a sweep, not a person, ended a session."""
    for listener in _load(tuple(settings.STASH_LISTENERS)):
        heard = getattr(listener, what, None)
        if heard is not None:
            heard(actor, subject)
