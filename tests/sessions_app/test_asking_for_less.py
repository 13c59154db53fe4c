"""A client may ask for less than its person's connection gives, never for more."""

from __future__ import annotations

import pytest

from sessions_app.models import Session
from sessions_app.services import editing
from stash.audit.models import AuditEntry
from tests.sessions_app.wire import body, event, prompt, reply

pytestmark = pytest.mark.django_db


def post(person, *events, origin: str = "hook", **session):
    answer = person.api.post("/api/v1/events", {**body(*events, **session), "origin": origin}, format="json")
    assert answer.status_code == 200, answer.content
    assert answer.json()["rejected"] == []
    return answer.json()


def visibilities() -> dict[str, str]:
    return dict(Session.objects.values_list("native_id", "visibility"))


def changes() -> list[dict]:
    return list(AuditEntry.objects.filter(verb="session.visibility_changed").values_list("facts", flat=True))


@pytest.mark.parametrize("origin", ["hook", "transcript"])
def test_a_new_session_opens_private_though_the_connection_says_project(dana, ravi, shop, origin):
    said = post(dana, prompt("a secret plan"), origin=origin, visibility="private")
    assert visibilities() == {"s-1": "private"}
    assert ravi.api.get(f"/api/v1/sessions/{said['session']}").status_code == 404
    assert changes() == []


def test_not_even_a_team_that_shares_everything_opens_it(dana, team, shop):
    team.session_visibility = "project"
    team.save()
    post(dana, prompt("x"), visibility="private")
    assert visibilities() == {"s-1": "private"}


def test_a_subagent_told_of_first_makes_its_parent_private_too(dana, shop):
    post(dana, prompt("x"), native_id="s-1/a", parent_native_id="s-1", visibility="private")
    assert visibilities() == {"s-1": "private", "s-1/a": "private"}


def test_a_running_session_is_narrowed_with_its_subagents_once(dana, ravi, shop):
    said = post(dana, prompt("x"), event("subagent", agent_id="a", call_id="c"))
    assert visibilities() == {"s-1": "project", "s-1/a": "project"}
    for _ in range(2):
        post(dana, reply("y"), visibility="private")
    assert visibilities() == {"s-1": "private", "s-1/a": "private"}
    assert changes() == [{"visibility": "private"}]
    assert ravi.api.get(f"/api/v1/sessions/{said['session']}/events").status_code == 404
    assert Session.objects.get(native_id="s-1").events == 4


def test_watchers_are_told_when_it_is_narrowed(dana, shop, monkeypatch, django_capture_on_commit_callbacks):
    from stash import live

    sent = []
    monkeypatch.setattr(live, "_send", lambda groups, hint: sent.append((groups[0], hint)))
    said = post(dana, prompt("x"))
    with django_capture_on_commit_callbacks(execute=True):
        post(dana, reply("y"), visibility="private")
    assert (f"session.{said['session'].replace('-', '')}", "session") in sent


@pytest.mark.parametrize("visibility", ["project", "team", "", "PRIVATE", None])
def test_nothing_else_said_changes_who_sees_it(dana, shop, visibility):
    post(dana, prompt("x"), visibility="private")
    post(dana, reply("y"), visibility=visibility)
    assert visibilities() == {"s-1": "private"}
    post(dana, prompt("x"), native_id="s-2")
    post(dana, reply("y"), native_id="s-2", visibility=visibility)
    assert visibilities()["s-2"] == "project"


def test_an_import_leaves_what_hooks_told_or_its_person_shared_as_it_is(dana, shop):
    post(dana, prompt("live"))
    post(dana, prompt("old"), native_id="s-2", origin="transcript", visibility="private")
    editing.set_visibility(actor=dana.actor, session=Session.objects.get(native_id="s-2"), visibility="project")
    for native_id in ("s-1", "s-2"):
        post(dana, reply("more"), native_id=native_id, origin="transcript", visibility="private")
    assert visibilities() == {"s-1": "project", "s-2": "project"}


def test_a_transcript_file_may_ask_as_well(dana, shop):
    line = b'{"type":"user","uuid":"u1","sessionId":"s-9","timestamp":"2026-11-30T15:00:00Z",'
    line += b'"message":{"role":"user","content":"hello"}}'
    header = '{"project": {"identities": ["git.example.test/acme/shop"]}, "visibility": "private"}'
    answer = dana.api.generic(
        "POST", "/api/v1/transcripts?harness=claude-code", line, content_type="application/x-ndjson",
        HTTP_STASH_SESSION=header,
    )  # fmt: skip
    assert answer.json()["accepted"] == 1
    assert visibilities() == {"s-9": "private"}


def test_a_key_that_only_captures_may_ask(team, shop):
    from tests.conftest import connect, make_person

    robot = make_person(team, "robin", scopes=("capture",))
    connect(robot, shop)
    post(robot, prompt("x"))
    post(robot, reply("y"), visibility="private")
    assert visibilities() == {"s-1": "private"}
