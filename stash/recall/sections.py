"""What a briefing tells: this project, who is on what, what was done last."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import CharField, OuterRef, Subquery
from django.db.models.functions import Substr
from django.utils import timezone

from accounts.models import Project
from accounts.selectors import people_connected
from sessions_app.models import Event, Session, SessionQuerySet
from sessions_app.selectors import OPEN_FOR, state_of
from stash.recall.briefing import Question, Section
from stash.recall.wording import minute, plain, quoted

_MOST_PEOPLE, _MOST_REMOTES = 12, 4
_MOST_OPEN, _MOST_RECENT = 10, 12
_TITLE, _NAME, _BRANCH, _SAID = 100, 60, 80, 200
_WORDS = {
    "needs_you": "waits for its person",
    "running": "runs",
    "idle": "idle",
    "failed": "stopped in an error",
    "done": "done",
    "ended": "fell silent",
}


def about_project(question: Question) -> Section:
    """Its name, the repositories it is known by, the people who let it be captured."""
    project = question.project
    lines = [f"- {plain(project.name, _NAME)}{_known_as(project)}"]
    people = [row.membership.user.display_name for row in people_connected(project)[: _MOST_PEOPLE + 1]]
    if people:
        shown = ", ".join(plain(name, _NAME) for name in people[:_MOST_PEOPLE])
        lines.append(f"- People: {shown}{' and others' if len(people) > _MOST_PEOPLE else ''}")
    return Section("project", "This project", lines)


def _known_as(project: Project) -> str:
    """Remotes only: markers say nothing to anybody, and folders of a machine are that machine's business."""
    remotes = sorted(
        identity.value for identity in project.identities.all() if not identity.value.startswith(("local:", "marker:"))
    )
    return f" ({', '.join(plain(value, _BRANCH) for value in remotes[:_MOST_REMOTES])})" if remotes else ""


def who_is_on_what(question: Question) -> Section:
    """Open sessions of the last day, in the order in which they began."""
    fresh = _shared(question).still_open().filter(last_event_at__gte=timezone.now() - OPEN_FOR)
    rows = _besides(question, fresh.order_by("-last_event_at", "-id")[: _MOST_OPEN + 1])[:_MOST_OPEN]
    rows.sort(key=lambda session: (session.started_at, session.pk))
    return Section("now", "Who is on what right now", [_now(session) for session in rows])


def _now(session: Session) -> str:
    since = f"{_WORDS[state_of(session)]} since {minute(session.status_since)}"
    return f"- {session.short_id} {_who(session)}{_branch(session)}: {_title(session)}, {since}"


def recent_sessions(question: Question) -> Section:
    """Those that are over, last first, with what was said last in each."""
    last_reply = Event.objects.filter(session=OuterRef("pk"), kind="reply").order_by("-number")
    over = _shared(question).filter(status=Session.Status.ENDED, prompts__gt=0).order_by("-last_event_at", "-id")
    said = Subquery(last_reply.annotate(head=Substr("text", 1, 4 * _SAID)).values("head")[:1], output_field=CharField())
    rows = _besides(question, over.annotate(said=said)[: _MOST_RECENT + 1])[:_MOST_RECENT]
    return Section("recent", "Recent sessions", [_recent(session) for session in rows])


def _recent(session: Session) -> str:
    lines = [
        f"- {session.short_id} {minute(session.started_at)} to {minute(session.last_event_at)} {_who(session)}"
        f"{_branch(session)}: {_title(session)}, {_WORDS[state_of(session)]}{_changed(session)}"
    ]
    said = next((line for line in (getattr(session, "said", "") or "").splitlines() if line.strip()), "")
    if said:
        lines.append(f"  last reply: {quoted(said, _SAID)}")
    return "\n".join(lines)


def _title(session: Session) -> str:
    return quoted(session.title or "untitled", _TITLE)


def _changed(session: Session) -> str:
    if not session.files:
        return ""
    return f", {session.files} files +{session.lines_added} -{session.lines_removed}"


def _who(session: Session) -> str:
    return f"{plain(session.person.display_name, _NAME)} with {plain(session.harness, _NAME)}"


def _branch(session: Session) -> str:
    return f" on {plain(session.branch, _BRANCH)}" if session.branch else ""


def _shared(question: Question) -> SessionQuerySet:
    """What this reader may see of the project, without private sessions, not even the reader's own: what an agent is
    told here can end up in a session that others read.
    """
    visible = Session.objects.visible_to(question.actor).top_level()
    return visible.filter(project=question.project, visibility=Session.Visibility.PROJECT).select_related("person")


def _besides(question: Question, rows: Iterable[Session]) -> list[Session]:
    """Without the session that asks: it would read about itself, and differently each time."""
    own, actor = question.session, question.actor
    return [row for row in rows if (row.harness, row.native_id) != own or row.person_id != actor.user_id]
