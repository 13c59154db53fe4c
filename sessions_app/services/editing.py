"""What people do to sessions afterwards: name them, share or withdraw them, delete them, forget a part."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.selectors import patterns_of
from sessions_app.models import Event, Session, SessionFile
from sessions_app.selectors import reads_as_admin
from sessions_app.services import effects
from sessions_app.services.families import announce, give_visibility, lock_family
from sessions_app.services.files import touch_files
from sessions_app.services.forgetting import note_family
from stash.access import gate, require
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Invalid
from stash.search import services as search
from stash_client.privacy import scrub

_MOST_TITLE = 200
_OPENING = 15 * 60
_RECOUNTED = (  # noqa: SIM905 - a line of names reads better than a column
    "title title_source title_at status status_since activity waiting_for failed started_at last_event_at ended_at"
    " end_reason prompts tool_calls failures edits files lines_added lines_removed tokens_in tokens_out"
    " tokens_cache_read tokens_cache_write redactions tail trace trace_step filed_on filed_as"
).split()


@transaction.atomic
def rename(*, actor: Actor, session: Session, title: str) -> Session:
    """A title a person typed is never changed again; an empty one gives the naming back to prompt and harness."""
    require(actor, "sessions.change", session)
    locked = _locked(session)
    # What a person types can hold a secret as well as what an agent prints.
    said = scrub(title[: 4 * _MOST_TITLE], patterns=patterns_of(actor)).value
    clean = " ".join(said.split())[:_MOST_TITLE]
    locked.title = clean
    locked.title_source = Session.TitleSource.PERSON if clean else Session.TitleSource.NONE
    locked.title_at = None
    if not clean and (first := _first_prompt(locked)) is not None:
        locked.title, locked.title_at = effects.title_of(first.text), first.occurred_at
        locked.title_source = Session.TitleSource.PROMPT
    locked.save(update_fields=["title", "title_source", "title_at"])
    announce(locked)
    return _carry(session, locked, ("title", "title_source", "title_at"))


@transaction.atomic
def set_visibility(*, actor: Actor, session: Session, visibility: str) -> Session:
    """Share with the project or withdraw, subagents included; takes effect at once. Raises Invalid."""
    require(actor, "sessions.change", session)
    if visibility not in Session.Visibility.values:
        raise Invalid("Visibility is private or project.")
    locked = _locked(session)
    if visibility == Session.Visibility.PROJECT and locked.project_id is None:
        raise Invalid("This session belongs to no project, so there is nobody to share it with.")
    give_visibility(actor=actor, locked=locked, visibility=visibility)
    return _carry(session, locked, ("visibility",))


@transaction.atomic
def delete_session(*, actor: Actor, session: Session) -> None:
    """The session with its events, files and subagents, for good: what is told of it late does not bring it back.

    Administrators may delete what they may not read.
    """
    require(actor, "sessions.delete", session)
    locked = _locked(session)
    family = lock_family(locked)
    record(actor, "session.deleted", locked, name=locked.short_id, events=locked.events, person=str(locked.person_id))
    note_family(Session.objects.filter(pk__in=family), since=None, until=timezone.now())
    Event.objects.filter(session_id__in=family).delete()
    for pk in family:
        announce(locked, pk)
        search.changed("session", pk)
    locked.delete()


@transaction.atomic
def forget(*, actor: Actor, session: Session, since: datetime | None = None) -> int:
    """Take back what happened since then in one's own session, or all of it; returns how many events went.

    Counters, trace, title and status are told again from what is left; numbers and seq are never given twice. What was
    not told yet stays away as well. Doing it again is harmless.
    """
    require(actor, "sessions.forget", session)
    if since is None:
        gone = Event.objects.filter(session=session).count()
        delete_session(actor=actor, session=session)
        return gone
    locked = _locked(session)
    family = lock_family(locked)
    note_family(Session.objects.filter(pk__in=family), since=since, until=timezone.now())
    gone, _ = Event.objects.filter(session_id__in=family, occurred_at__gte=since).delete()
    for member in Session.objects.filter(pk__in=family):
        _tell_again(member)
        announce(member, hint="forgotten")
    if gone:
        record(actor, "session.forgotten", locked, name=locked.short_id, events=gone, since=since.isoformat())
    return gone


def note_opening(*, actor: Actor, session: Session) -> None:
    """An owner or admin reads a session of a restricted project without a grant: allowed, and written down.

    Once in a quarter of an hour per person and session: paging through one is one opening.
    """
    if not reads_as_admin(actor, session):
        return
    if cache.add(f"opened:{actor.user_id}:{session.pk}", 1, _OPENING):
        record(actor, "session.opened_by_admin", session, name=session.short_id, person=str(session.person_id))


def _tell_again(session: Session) -> None:
    """Let the remaining events have their effects on a blank copy, then take over what came out."""
    left = list(Event.objects.filter(session=session).order_by("number"))
    copy = Session(pk=session.pk, team_id=session.team_id, harness=session.harness)
    copy.title_source = session.title_source
    if session.title_source == Session.TitleSource.HARNESS and not any(event.kind == "prompt" for event in left):
        copy.title_source = Session.TitleSource.NONE  # it was made of what is forgotten
    if copy.title_source not in (Session.TitleSource.PROMPT, Session.TitleSource.NONE):
        copy.title = session.title
    copy.started_at = copy.status_since = copy.last_event_at = left[0].occurred_at if left else session.started_at
    SessionFile.objects.filter(session=session).delete()
    effects.absorb(copy, left)
    if not left:
        copy.status = Session.Status.IDLE
    touch_files(copy, left)
    _carry(session, copy, _RECOUNTED)
    session.forgot = True
    session.save(update_fields=[*_RECOUNTED, "forgot"])


def _locked(session: Session) -> Session:
    """Raises NotFound when somebody deleted it meanwhile."""
    return gate(Session.objects.select_for_update(of=("self",)), pk=session.pk)


def _first_prompt(session: Session) -> Event | None:
    return Event.objects.filter(session=session, kind="prompt").order_by("occurred_at", "n", "number").first()


def _carry(session: Session, source: Session, names: Iterable[str]) -> Session:
    for name in names:
        setattr(session, name, getattr(source, name))
    return session
