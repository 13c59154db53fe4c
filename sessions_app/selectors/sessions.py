"""Lists of sessions: who may see which, filtered, newest first, a page at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core import signing
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import Membership, Project
from sessions_app.models import Session, SessionFile, SessionQuerySet
from stash.access import gate
from stash.actors import Actor
from stash.errors import BadRequest

STATES = ("needs_you", "running", "failed", "idle", "done", "ended")
"""What a person calls it, in the order in which it matters; see ``state_of``."""

OPEN_FOR = timedelta(hours=25)
"""A day of silence ends a session (and the sweep needs a moment), so what is open is never further back than this."""

_CAP = 100
_OPEN_STATES = frozenset({"needs_you", "running", "idle", "working"})
_BY_STATE = {
    "needs_you": Q(status=Session.Status.NEEDS_YOU),
    "running": Q(status=Session.Status.WORKING),
    "failed": Q(failed=True, status__in=(Session.Status.IDLE, Session.Status.ENDED)),
    "idle": Q(failed=False, status=Session.Status.IDLE),
    "done": Q(failed=False, status=Session.Status.ENDED),
    # The names of the contract stay valid beside the words of the pages.
    "working": Q(status=Session.Status.WORKING),
    "ended": Q(status=Session.Status.ENDED),
}


def state_of(session: Session) -> str:
    """One of STATES: one that stopped in an error counts as failed, one that only fell silent as ended, not as done."""
    if session.status == Session.Status.NEEDS_YOU:
        return "needs_you"
    if session.status == Session.Status.WORKING:
        return "running"
    if session.failed:
        return "failed"
    if session.status == Session.Status.IDLE:
        return "idle"
    return "ended" if session.end_reason == "silence" else "done"


def rank(session: Session) -> int:
    return STATES.index(state_of(session))


@dataclass(frozen=True, slots=True)
class SessionFilters:
    """``by`` is a username or ``me``; ``project`` a slug; ``q`` words in title, branch or a file's path."""

    by: str = ""
    project: str = ""
    harness: str = ""
    status: str = ""
    since: datetime | None = None
    until: datetime | None = None
    q: str = ""
    scope: str = "team"

    @property
    def narrows(self) -> bool:
        """Whether anything but the scope is asked for."""
        return bool(self.by or self.project or self.harness or self.status or self.since or self.until or self.q)


@dataclass(frozen=True, slots=True)
class SessionPage:
    rows: Sequence[Session]
    next: str | None


def get_session(actor: Actor, session_id: UUID | str) -> Session:
    """The session with what its page shows of person, project and machine. Raises NotFound."""
    return gate(
        Session.objects.visible_to(actor).select_related("person", "project", "machine", "parent", "team"),
        pk=session_id,
    )


def get_session_to_delete(actor: Actor, session_id: UUID | str) -> Session:
    """Like get_session, and for administrators any session of the team: they may delete what they may not read."""
    if actor.administers:
        return gate(Session.objects.filter(team_id=actor.team_id), pk=session_id)
    return get_session(actor, session_id)


def reads_as_admin(actor: Actor, session: Session) -> bool:
    """Whether only the role lets this actor read: somebody else's session in a restricted project without a grant."""
    project = session.project
    if session.person_id == actor.user_id or project is None or project.visibility == Project.Visibility.TEAM:
        return False
    return not project.grants.filter(membership_id=actor.membership_id).exists()


def waiting(actor: Actor, filters: SessionFilters) -> Sequence[Session]:
    """Those among the filtered that wait for somebody, at most 100: a page shows them before all others."""
    found = _in_state(_filtered(actor, filters).still_open(), "needs_you")
    return list(found.select_related("person", "project").order_by("-last_event_at", "-id")[:_CAP])


def sessions(
    actor: Actor, filters: SessionFilters, *, cursor: str = "", limit: int = 50, besides_waiting: bool = False
) -> SessionPage:
    """Top-level sessions, last event first, on demand without those that ``waiting`` gives.

    Raises BadRequest for a cursor that is not ours.
    """
    found = _filtered(actor, filters)
    if besides_waiting:
        found = found.exclude(status=Session.Status.NEEDS_YOU, last_event_at__gte=timezone.now() - OPEN_FOR)
    if cursor:
        found = _older_than(found, cursor)
    rows = list(found.select_related("person", "project").order_by("-last_event_at", "-id")[: limit + 1])
    more = len(rows) > limit
    return SessionPage(rows=rows[:limit], next=_cursor_of(rows[limit - 1]) if more else None)


def counts(actor: Actor, filters: SessionFilters) -> dict[str, int]:
    """How many run and how many wait, at most 100 each: the only states whose number does not grow with history."""
    found = _filtered(actor, filters).still_open()
    return {state: _in_state(found, state)[:_CAP].count() for state in ("running", "needs_you")}


def children(actor: Actor, ids: Collection[UUID]) -> dict[UUID, Session]:
    """Subagents by id, those this actor may see."""
    if not ids:
        return {}
    return {child.pk: child for child in Session.objects.visible_to(actor).filter(pk__in=ids)}


def people(actor: Actor) -> Sequence[Membership]:
    """Who the list can be narrowed to."""
    found = Membership.objects.active().visible_to(actor).select_related("user")
    return list(found.order_by("user__name", "user__username")[:200])


def projects(actor: Actor) -> Sequence[Project]:
    return list(Project.objects.visible_to(actor).order_by("slug")[:200])


def _filtered(actor: Actor, filters: SessionFilters) -> SessionQuerySet:
    found = Session.objects.visible_to(actor).top_level()
    if filters.scope in ("mine", "private") or filters.by == "me":
        found = found.filter(person_id=actor.user_id)
    elif filters.by:
        found = found.filter(person__username__iexact=filters.by)
    if filters.scope == "private":
        found = found.filter(visibility=Session.Visibility.PRIVATE)
    if filters.project:
        found = found.filter(project__slug=filters.project, project__team_id=actor.team_id)
    if filters.harness:
        found = found.filter(harness=filters.harness)
    if filters.status:
        found = _in_state(found, filters.status)
    if filters.since:
        found = found.filter(last_event_at__gte=filters.since)
    if filters.until:
        found = found.filter(last_event_at__lt=filters.until)
    for word in filters.q.split()[:8]:
        found = found.filter(_mentions(word))
    return found


def _in_state(found: SessionQuerySet, state: str) -> SessionQuerySet:
    """Open ones are few, and looked for among the last day's only: the whole history is never searched for them."""
    found = found.filter(_BY_STATE.get(state, Q(pk__in=[])))
    return found.filter(last_event_at__gte=timezone.now() - OPEN_FOR) if state in _OPEN_STATES else found


def _mentions(word: str) -> Q:
    in_files = SessionFile.objects.filter(session=OuterRef("pk"), path__icontains=word)
    return Q(title__icontains=word) | Q(branch__icontains=word) | Q(Exists(in_files))


def _cursor_of(session: Session) -> str:
    return signing.dumps([session.last_event_at.isoformat(), session.pk.hex], salt="sessions", compress=False)


def _older_than(found: SessionQuerySet, cursor: str) -> SessionQuerySet:
    try:
        at, pk = signing.loads(cursor, salt="sessions")
        moment, last = datetime.fromisoformat(at), UUID(pk)
    except (signing.BadSignature, ValueError, TypeError):
        raise BadRequest("This cursor is not one of ours; start without it.", code="bad_cursor") from None
    return found.filter(last_event_at__lte=moment).filter(Q(last_event_at__lt=moment) | Q(pk__lt=last))
