"""What holds for a session and its subagents together: the lock, and who sees them."""

from __future__ import annotations

from uuid import UUID

from sessions_app.models import Session
from stash import live
from stash.actors import Actor
from stash.audit.services import record

_MOST_KIN = 10_000


def lock_family(locked: Session) -> list[UUID]:
    """Ids of the session and its subagents, all locked, parents first: nothing is appended to them meanwhile.

    A new subagent needs the lock of its parent, so none is missed between looking and locking.
    """
    family, level = [locked.pk], [locked.pk]
    while level and len(family) < _MOST_KIN:
        kin = Session.objects.select_for_update(of=("self",)).filter(parent_id__in=level).exclude(pk__in=family)
        level = [child.pk for child in kin.only("pk").order_by("pk")]
        family += level
    return family


def give_visibility(*, actor: Actor, locked: Session, visibility: str) -> None:
    """Change who sees a session and its subagents, write it down and tell watchers; nothing when it is so already."""
    if locked.visibility == visibility:
        return
    family = lock_family(locked)
    Session.objects.filter(pk__in=family, person_id=locked.person_id).exclude(
        project__isnull=True, visibility=Session.Visibility.PRIVATE
    ).update(visibility=visibility)
    record(actor, "session.visibility_changed", locked, name=locked.short_id, visibility=visibility)
    for pk in family:
        announce(locked, pk)
    locked.visibility = visibility


def announce(session: Session, pk: UUID | None = None, *, hint: str = "session") -> None:
    live.announce(groups=(live.session_group(pk or session.pk), live.team_group(session.team_id)), hint=hint)
