"""Sessions over HTTP: shapes, rights, cursors."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from sessions_app.models import Session
from tests.conftest import make_person
from tests.sessions_app.factories import START, add_events, complete, fill, make_event, make_session

pytestmark = pytest.mark.django_db
ROOT = "/api/v1/sessions"


@pytest.fixture
def session(dana, shop):
    session = make_session(dana, shop)
    add_events(
        session,
        make_event("prompt", 1, text="Fix it"),
        make_event(
            "tool_call", 2, name="Bash", family="shell", ok=False, exit_code=1, input={"command": "ls"}, output="no"
        ),
        make_event("reply", 3, text="Done", model="sonnet", usage={"input": 12, "output": 3}),
    )
    return session


def test_session(dana, session):
    got = dana.api.get(f"{ROOT}/{session.pk}").json()
    assert got["id"] == str(session.pk)
    assert got["url"].endswith(f"/t/harbour/sessions/{session.pk}/")
    assert got["person"] == {"username": "dana", "name": "Dana"}
    assert (got["project"], got["parent"], got["harness"], got["visibility"]) == (
        "shop",
        None,
        "claude-code",
        "project",
    )
    assert (got["events"], got["prompts"], got["failures"], got["last_seq"]) == (3, 1, 1, 3)
    assert got["tokens"] == {"input": 12, "output": 3, "cache_read": 0, "cache_write": 0}
    assert got["started_at"] == START.isoformat()


def test_list(dana, ravi, shop, session):
    make_session(ravi, shop, harness="codex", status="needs_you")
    api = dana.api
    assert len(api.get(ROOT).json()["results"]) == 2
    assert [row["id"] for row in api.get(ROOT, {"by": "me"}).json()["results"]] == [str(session.pk)]
    assert [row["harness"] for row in api.get(ROOT, {"harness": "Codex CLI"}).json()["results"]] == ["codex"]
    assert [row["state"] for row in api.get(ROOT, {"status": "needs_you"}).json()["results"]] == ["needs_you"]
    assert api.get(ROOT, {"q": "nothing"}).json() == {"results": [], "next": None}


def test_list_is_paged_by_cursor(dana, shop):
    for _ in range(7):
        make_session(dana, shop)
    seen, cursor = [], None
    while True:
        page = dana.api.get(ROOT, {"limit": 3} | ({"cursor": cursor} if cursor else {})).json()
        seen += [row["id"] for row in page["results"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 7


@pytest.mark.parametrize(
    "query, status, code",
    [
        ({"since": "yesterday"}, 422, "invalid"),
        ({"limit": "0"}, 422, "invalid"),
        ({"limit": "many"}, 422, "invalid"),
        ({"status": "odd"}, 422, "invalid"),
        ({"cursor": "odd"}, 400, "bad_cursor"),
    ],
)
def test_bad_queries_are_problems(dana, query, status, code):
    response = dana.api.get(ROOT, query)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response["Content-Type"] == "application/problem+json"


def test_events_run_by_seq_and_a_completed_one_comes_again(dana, session):
    api, path = dana.api, f"{ROOT}/{session.pk}/events"
    first = api.get(path, {"limit": 2}).json()
    assert [row["seq"] for row in first["results"]] == [1, 2]
    assert first["next"] == "2"
    rest = api.get(path, {"after": first["next"]}).json()
    assert ([row["kind"] for row in rest["results"]], rest["next"]) == (["reply"], None)
    complete(session, session.event_set.get(number=2), duration_ms=12)
    (again,) = api.get(path, {"after": 3}).json()["results"]
    assert (again["seq"], again["number"], again["duration_ms"], again["input"]) == (4, 2, 12, {"command": "ls"})


def test_events_of_a_kind(dana, session):
    rows = dana.api.get(f"{ROOT}/{session.pk}/events", {"kind": "prompt,reply"}).json()["results"]
    assert [row["kind"] for row in rows] == ["prompt", "reply"]


def test_downloads(dana, session):
    markdown = dana.api.get(f"{ROOT}/{session.pk}/transcript.md")
    assert markdown["Content-Type"].startswith("text/markdown")
    assert "> Fix it" in b"".join(markdown.streaming_content).decode()
    lines = b"".join(dana.api.get(f"{ROOT}/{session.pk}/events.jsonl").streaming_content).splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["prompt", "tool_call", "reply"]


def test_patch(dana, session):
    got = dana.api.patch(f"{ROOT}/{session.pk}", {"title": "New", "visibility": "private"}, format="json").json()
    assert (got["title"], got["visibility"]) == ("New", "private")


def test_patch_is_all_or_nothing(dana, shop):
    private = make_session(dana, title="Old")
    response = dana.api.patch(f"{ROOT}/{private.pk}", {"title": "New", "visibility": "project"}, format="json")
    assert response.status_code == 422
    private.refresh_from_db()
    assert private.title == "Old"


def test_delete_and_forget(dana, shop, session):
    other = make_session(dana, shop)
    fill(other, 4)
    assert dana.api.post(f"{ROOT}/{other.pk}/forget", {"since": "2026-11-24T13:31:02Z"}, format="json").json() == {
        "forgotten": 2
    }
    assert dana.api.post(f"{ROOT}/{other.pk}/forget", {}, format="json").json() == {"forgotten": 2}
    assert dana.api.delete(f"{ROOT}/{session.pk}").status_code == 204
    assert not Session.objects.exists()


READS = ["", "/events", "/transcript.md", "/events.jsonl"]


@pytest.mark.parametrize("rest", READS)
def test_reading_needs_the_scope_and_sight(team, dana, ravi, olga, session, rest):
    path = f"{ROOT}/{session.pk}{rest}"
    assert ravi.api.get(path).status_code == 200
    assert make_person(team, "vera", "viewer").api.get(path).status_code == 200
    assert make_person(team, "cap", scopes=("capture",)).api.get(path).status_code == 403
    assert olga.api.get(path).status_code == 404
    assert dana.api.get(f"{ROOT}/{uuid4()}{rest}").status_code == 404


def test_changing_is_for_its_person(team, dana, ravi, olga, session):
    path = f"{ROOT}/{session.pk}"
    reader = make_person(team, "rita", scopes=("read",))
    for person, status in ((ravi, 403), (olga, 404), (reader, 403)):
        assert person.api.patch(path, {"title": "x"}, format="json").status_code == status
        assert person.api.delete(path).status_code == status
        assert person.api.post(f"{path}/forget", {}, format="json").status_code == status


def test_admins_delete_private_sessions_unread(team, dana):
    admin = make_person(team, "adam", "admin")
    session = make_session(dana)
    assert admin.api.get(f"{ROOT}/{session.pk}").status_code == 404
    assert admin.api.delete(f"{ROOT}/{session.pk}").status_code == 204


def test_hostile_characters_come_back_as_json(dana, shop):
    session = make_session(dana, shop, title="half \ufffd \u202e")
    add_events(session, make_event("prompt", 1, text="\u2028 </script> \x1b[2J"))
    response = dana.api.get(f"{ROOT}/{session.pk}/events")
    assert response.json()["results"][0]["text"] == "\u2028 </script> \x1b[2J"
    assert response["X-Content-Type-Options"] == "nosniff"
