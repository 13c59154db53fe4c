"""The tool that writes: a note into a session of one's own."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import NAMESPACE_OID, UUID, uuid5

from django.conf import settings
from django.urls import reverse

from accounts.selectors import get_project
from accounts.selectors.patterns import patterns_of
from sessions_app.api.decoding import capture_of
from sessions_app.models import Session
from sessions_app.selectors.sessions import get_session
from sessions_app.services.ingest import append_events
from stash.actors import Actor
from stash.errors import Forbidden, Invalid, NotFound
from stash_client.events import Batch, Note, SessionInfo


def note(actor: Actor, *, text: str, project: str, session: str = "") -> str:
    """The same note twice in a session is one. Raises NotFound, Forbidden for somebody else's session, Invalid."""
    if not text.strip():
        raise Invalid("A note without words says nothing.")
    chosen = _session(actor, project, session)
    now = datetime.now(UTC)
    uid = str(uuid5(NAMESPACE_OID, f"{chosen.pk}:{text}"))
    said = Note(uid=uid, n=0, occurred_at=now.isoformat(), name="note", text=text.strip())
    batch = Batch(SessionInfo(chosen.harness, chosen.native_id), (said,))
    receipt = append_events(actor=actor, capture=capture_of(batch, now, patterns=patterns_of(actor)))
    for refused in receipt.rejected:
        if refused.problem.code != "uid_conflict":  # the same words at another time
            raise refused.problem
    address = settings.URL + reverse("sessions:detail", kwargs={"team": actor.team_slug, "session_id": chosen.pk})
    return f"Noted in {address}"


def _session(actor: Actor, project: str, session: str) -> Session:
    if session:
        return _own(actor, get_session(actor, _id(session)))
    mine = Session.objects.visible_to(actor).filter(person_id=actor.user_id, project=get_project(actor, project))
    latest = mine.filter(parent=None).order_by("-last_event_at", "-pk").first()
    if latest is None:
        raise NotFound("You have no session in this project yet that a note could go into.")
    return latest


def _id(session: str) -> UUID:
    try:
        return UUID(session)
    except ValueError:
        raise NotFound() from None


def _own(actor: Actor, session: Session) -> Session:
    if session.person_id != actor.user_id:
        raise Forbidden("Notes go into sessions of one's own.")
    return session
