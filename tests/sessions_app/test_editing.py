"""Naming, sharing, deleting and forgetting sessions."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sessions_app.models import Event, Session, SessionFile
from sessions_app.services import editing
from stash.audit.models import AuditEntry
from stash.errors import Forbidden, Invalid
from tests.conftest import make_person
from tests.sessions_app.factories import START, add_events, fill, make_event, make_session

pytestmark = pytest.mark.django_db


def verbs():
    return list(AuditEntry.objects.values_list("verb", flat=True))


def test_rename_is_kept_and_scrubbed(dana, shop):
    session = make_session(dana, shop)
    editing.rename(
        actor=dana.actor, session=session, title="  Use  AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY "
    )
    session.refresh_from_db()
    assert session.title_source == "person"
    assert "wJalr" not in session.title
    assert session.title.startswith("Use AWS_SECRET_ACCESS_KEY=")
    assert verbs() == []


def test_an_empty_title_gives_naming_back_to_the_first_prompt(dana, shop):
    session = make_session(dana, shop, title="Mine", title_source="person")
    add_events(session, make_event("prompt", 5, text="second"), make_event("prompt", 1, text="Fix the lock"))
    editing.rename(actor=dana.actor, session=session, title="")
    session.refresh_from_db()
    assert (session.title, session.title_source) == ("Fix the lock", "prompt")


def test_visibility_goes_down_to_subagents_and_is_audited(dana, shop):
    session = make_session(dana, shop)
    child = make_session(dana, shop, parent=session)
    grandchild = make_session(dana, shop, parent=child)
    editing.set_visibility(actor=dana.actor, session=session, visibility="private")
    assert set(Session.objects.values_list("visibility", flat=True)) == {"private"}
    assert session.visibility == "private"
    editing.set_visibility(actor=dana.actor, session=session, visibility="private")
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.target_name, entry.facts) == (
        "session.visibility_changed",
        session.short_id,
        {"visibility": "private"},
    )
    grandchild.refresh_from_db()
    assert grandchild.visibility == "private"


def test_what_belongs_to_no_project_cannot_be_shared(dana):
    session = make_session(dana)
    with pytest.raises(Invalid):
        editing.set_visibility(actor=dana.actor, session=session, visibility="project")
    with pytest.raises(Invalid):
        editing.set_visibility(actor=dana.actor, session=session, visibility="everybody")


def test_others_may_not_change_and_admins_only_delete(team, dana, ravi, shop):
    admin = make_person(team, "adam", "admin")
    reader = make_person(team, "rita", scopes=("read",))
    session, own = make_session(dana, shop), make_session(reader, shop)
    for actor, target in ((ravi.actor, session), (admin.actor, session), (reader.actor, own)):
        with pytest.raises(Forbidden):
            editing.rename(actor=actor, session=target, title="x")
        with pytest.raises(Forbidden):
            editing.set_visibility(actor=actor, session=target, visibility="private")
    for actor, target in ((ravi.actor, session), (reader.actor, own)):
        with pytest.raises(Forbidden):
            editing.delete_session(actor=actor, session=target)
    editing.delete_session(actor=admin.actor, session=session)
    assert not Session.objects.filter(pk=session.pk).exists()


def test_delete_takes_everything_and_names_nothing_captured(dana, shop):
    session = make_session(dana, shop, title="Secret plan")
    child = make_session(dana, shop, parent=session)
    fill(session, 3, paths=["a.py"], family="edit")
    fill(child, 2)
    editing.delete_session(actor=dana.actor, session=session)
    assert Session.objects.count() == Event.objects.count() == SessionFile.objects.count() == 0
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.target_id, entry.facts["events"]) == ("session.deleted", str(session.pk), 3)
    assert "Secret" not in str(vars(entry))


def test_forget_since_tells_the_rest_again(dana, shop):
    session = make_session(dana, shop, title="", title_source="", started_at=START + timedelta(seconds=1))
    kept = [
        make_event("prompt", 1, text="Keep this"),
        make_event(
            "tool_call", 2, family="edit", ok=True, paths=["a.py"], diff="--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n+x\n"
        ),
        make_event("reply", 3, usage={"input": 10, "output": 5}),
        make_event("turn_end", 4, reason="completed"),
    ]
    add_events(session, *kept)
    before = {name: getattr(session, name) for name in editing._RECOUNTED}
    add_events(
        session,
        make_event("prompt", 60, text="Forget this"),
        make_event(
            "tool_call", 61, family="edit", ok=False, paths=["b.py"], diff="--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n"
        ),
        make_event("reply", 62, usage={"input": 1000}),
        make_event("attention", 63, text="?"),
    )
    gone = editing.forget(actor=dana.actor, session=session, since=START + timedelta(seconds=60))
    session.refresh_from_db()
    assert gone == 4
    assert {name: getattr(session, name) for name in editing._RECOUNTED} == before
    assert [file.path for file in session.touched.all()] == ["a.py"]
    assert (session.events, session.last_seq) == (8, 8)
    (entry,) = AuditEntry.objects.filter(verb="session.forgotten")
    assert entry.facts["events"] == 4


def test_numbers_are_not_given_again_after_forgetting(dana, shop):
    session = make_session(dana, shop)
    fill(session, 5)
    editing.forget(actor=dana.actor, session=session, since=START + timedelta(seconds=3))
    session.refresh_from_db()
    (event,) = add_events(session, make_event("reply", 100))
    assert (event.number, event.seq) == (6, 6)


def test_forget_without_a_time_is_deletion(dana, shop):
    session = make_session(dana, shop)
    fill(session, 5)
    assert editing.forget(actor=dana.actor, session=session) == 5
    assert not Session.objects.filter(pk=session.pk).exists()


def test_forgetting_everything_since_before_the_start_leaves_an_empty_session(dana, shop):
    session = make_session(dana, shop, title="Mine", title_source="person")
    fill(session, 5)
    editing.forget(actor=dana.actor, session=session, since=START - timedelta(days=1))
    session.refresh_from_db()
    assert (session.title, session.tool_calls, session.trace) == ("Mine", 0, "")
