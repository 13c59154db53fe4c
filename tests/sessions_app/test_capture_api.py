"""POST /events: every moment once, whoever sends it, however often."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from accounts.models import Connection, Project
from sessions_app.models import Event, Session, SessionFile
from stash.audit.models import AuditEntry
from tests.conftest import connect, make_person, make_project
from tests.sessions_app.wire import body, edit, event, prompt, reply, shell

pytestmark = pytest.mark.django_db


def send(person, payload, **headers):
    return person.api.post("/api/v1/events", payload, format="json", **headers)


def test_append_stores_events_in_order_under_the_person(dana, shop):
    answer = send(
        dana, body(prompt("fix the totals", at=0), shell("pytest -q", "1 passed", at=5), reply("Done.", at=9))
    )

    assert answer.status_code == 200, answer.content
    said = answer.json()
    session = Session.objects.get()
    assert said == {
        "session": str(session.pk),
        "url": f"http://testserver/t/harbour/sessions/{session.pk}/",
        "accepted": 3,
        "completed": 0,
        "duplicates": 0,
        "rejected": [],
        "redactions": {},
        "last_seq": 3,
    }
    assert (session.person_id, session.project, session.team_id) == (dana.user.pk, shop, shop.team_id)
    assert list(Event.objects.order_by("seq").values_list("number", "seq", "kind", "text")) == [
        (1, 1, "prompt", "fix the totals"),
        (2, 2, "tool_call", ""),
        (3, 3, "reply", "Done."),
    ]


def test_append_twice_stores_once(dana, shop):
    payload = body(prompt("fix the totals"), shell("ls"))
    send(dana, payload)

    again = send(dana, payload).json()

    assert (again["accepted"], again["duplicates"], again["last_seq"]) == (0, 2, 2)
    assert Event.objects.count() == 2


def test_append_same_uid_with_other_content_is_a_conflict_of_that_item_alone(dana, shop):
    first = prompt("fix the totals")
    send(dana, body(first))

    said = send(dana, body({**first, "text": "something else"}, reply("ok"))).json()

    assert said["accepted"] == 1
    assert [(r["index"], r["problem"]["code"], r["problem"]["status"]) for r in said["rejected"]] == [
        (0, "uid_conflict", 409)
    ]
    assert Event.objects.get(kind="prompt").text == "fix the totals"


@pytest.mark.parametrize(
    "item, code",
    [
        ({"kind": "prompt", "text": "x"}, "uid_missing"),
        ({"uid": "u", "kind": "dream"}, "unknown_kind"),
        ({"uid": "u"}, "invalid_event"),
        ({"uid": "u", "kind": "prompt", "text": 7}, "invalid_event"),
        ({"uid": "u", "kind": "prompt", "n": 2**70}, "invalid"),
        ("text", "invalid_event"),
        (None, "invalid_event"),
    ],
)
def test_append_bad_item_never_fails_its_neighbours(dana, shop, item, code):
    said = send(dana, body(prompt("before"), item, prompt("after"))).json()

    assert said["accepted"] == 2
    assert [(r["index"], r["problem"]["code"]) for r in said["rejected"]] == [(1, code)]


def test_append_windows_exit_code_fits(dana, shop):
    assert send(dana, body(shell("x.exe", exit_code=3221225477))).json()["accepted"] == 1


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"session": 3, "events": []}', b"\xff\xfe", b"null", b"[" * 100_000]
)
def test_append_unreadable_body_is_a_problem_document(dana, shop, raw):
    answer = dana.api.post("/api/v1/events", raw, content_type="application/json")

    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["code"] == "bad_json"


def test_append_takes_gzip_and_byte_order_marks(dana, shop):
    raw = b"\xef\xbb\xbf\xef\xbb\xbf" + json.dumps(body(prompt("Größe prüfen 請求書")), ensure_ascii=False).encode()

    answer = dana.api.post(
        "/api/v1/events", gzip.compress(raw), content_type="application/json", HTTP_CONTENT_ENCODING="gzip"
    )

    assert answer.json()["accepted"] == 1
    assert Event.objects.get().text == "Größe prüfen 請求書"


def test_append_more_than_500_events_names_the_limit(dana, shop):
    answer = send(dana, body(*[prompt(str(i)) for i in range(501)]))

    assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (413, "too_large", 500)


def test_append_oversized_body_names_the_limit(dana, shop, settings):
    settings.MAX_BODY = 1000
    answer = send(dana, body(prompt("x" * 2000)))

    assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (413, "too_large", 1000)


def test_append_gzip_bomb_is_refused(dana, shop, settings):
    settings.MAX_UNPACKED = 1_000_000
    raw = gzip.compress(b" " * 50_000_000)

    answer = dana.api.post("/api/v1/events", raw, content_type="application/json", HTTP_CONTENT_ENCODING="gzip")

    assert (answer.status_code, answer.json()["limit"]) == (413, 1_000_000)


def test_append_to_unconnected_project_rejects_each_item(ravi, shop):
    said = send(ravi, body(prompt("a"), prompt("b"))).json()

    assert (said["session"], said["accepted"]) == (None, 0)
    assert [(r["index"], r["problem"]["code"]) for r in said["rejected"]] == [
        (0, "project_not_connected"),
        (1, "project_not_connected"),
    ]
    assert not Session.objects.exists()


def test_append_after_consent_was_taken_back_stores_nothing(dana, shop):
    send(dana, body(prompt("a")))
    Connection.objects.all().delete()

    said = send(dana, body(prompt("b"))).json()

    assert [r["problem"]["code"] for r in said["rejected"]] == ["project_not_connected"]
    assert Event.objects.count() == 1


def test_append_with_everything_connected_makes_the_project(dana, team):
    connect(dana, None, "private")

    said = send(dana, body(prompt("a"), project="new-thing")).json()

    assert said["accepted"] == 1
    assert Session.objects.get().project == Project.objects.get(slug="new-thing")


def test_append_without_identity_is_private_with_project_unknown(dana, team):
    connect(dana, None, "project")
    payload = body(prompt("a"))
    payload["session"]["project"] = {"identities": []}

    assert send(dana, payload).json()["accepted"] == 1
    assert (Session.objects.get().project, Session.objects.get().visibility) == (None, "private")


def test_append_same_native_id_of_another_person_is_another_session(dana, ravi, shop):
    connect(ravi, shop)
    send(dana, body(prompt("mine"), native_id="shared"))
    send(ravi, body(prompt("his"), native_id="shared"))

    assert {s.person_id: s.title for s in Session.objects.all()} == {dana.user.pk: "mine", ravi.user.pk: "his"}


def test_append_by_viewer_is_forbidden(team, shop):
    viewer = make_person(team, "vera", "viewer")
    connect(viewer, shop)

    assert send(viewer, body(prompt("a"))).status_code == 403


def test_append_with_a_key_that_only_reads_is_forbidden(team, shop):
    reader = make_person(team, "rea", scopes=["read"])

    assert send(reader, body(prompt("a"))).status_code == 403


def test_append_to_a_restricted_project_without_grant_is_refused(dana, team):
    closed = make_project(team, "closed", visibility="restricted")
    connect(dana, closed)

    said = send(dana, body(prompt("a"), project="closed")).json()

    assert said["accepted"] == 0
    assert not Session.objects.exists()


def test_append_takes_visibility_from_consent_unless_the_team_fixed_it(dana, ravi, shop, team):
    send(dana, body(prompt("a"), native_id="one"))
    team.session_visibility = "private"
    team.save()
    send(dana, body(prompt("a"), native_id="two"))

    assert dict(Session.objects.values_list("native_id", "visibility")) == {"one": "project", "two": "private"}


def test_append_shifts_times_of_a_wrong_clock_and_keeps_what_was_said(dana, shop):
    wrong = datetime.now(UTC) - timedelta(hours=3)
    said = event("prompt", text="x") | {"occurred_at": (wrong - timedelta(seconds=30)).isoformat()}

    send(dana, body(said) | {"sent_at": wrong.isoformat()})

    stored = Event.objects.get()
    assert abs(stored.occurred_at - (datetime.now(UTC) - timedelta(seconds=30))) < timedelta(seconds=20)
    assert stored.reported_at == wrong - timedelta(seconds=30)


def test_append_never_lets_an_event_happen_after_it_was_received(dana, shop):
    send(dana, body(event("prompt", text="x") | {"occurred_at": "2099-01-01T00:00:00Z"}))

    assert Event.objects.get().occurred_at <= datetime.now(UTC)


def test_append_counts_what_happened(dana, shop):
    diff = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1,2 @@\n x\n+y\n+z\n-w\n"
    usage = {"input": 10, "output": 5, "cache_read": 3, "cache_write": 2}
    send(
        dana,
        body(
            prompt("fix it", at=0),
            edit("src/a.py", diff, at=1),
            shell("pytest", "boom", exit_code=1, at=2),
            reply("Done", usage=usage, model="m-1", at=3),
            event("turn_end", at=4),
        ),
    )

    session = Session.objects.get()
    assert (session.events, session.prompts, session.tool_calls, session.edits, session.failures) == (5, 1, 2, 1, 1)
    assert (session.tokens_in, session.tokens_out, session.tokens_cache_read, session.tokens_cache_write) == (
        10,
        5,
        3,
        2,
    )
    assert (session.files, session.lines_added, session.lines_removed) == (1, 2, 1)
    assert (session.tail, session.trace, session.model, session.title) == ("pefrn", "pefrn", "m-1", "fix it")
    assert SessionFile.objects.values_list("path", "edits", "lines_added", "lines_removed").get() == (
        "src/a.py",
        1,
        2,
        1,
    )


def test_append_secrets_never_reach_the_database(dana, shop):
    secret = "sk-proj-EXAMPLEonlyNotReal4f9Qm2Zx7Lr8Tt1Vb6Nw3Yc5Hd0"
    said = send(dana, body(prompt(f"use {secret}"), shell("cat .env", f"KEY={secret}"))).json()

    assert sum(said["redactions"].values()) >= 2
    assert secret not in json.dumps(list(Event.objects.values("text", "output", "body")))
    assert secret not in Session.objects.get().title


def test_append_is_throttled_per_key_with_retry_after(dana, shop, settings):
    settings.RATE_LIMITS = {"capture": 2, "other": 2}
    answers = [send(dana, body(prompt(str(i)))) for i in range(3)]

    assert [a.status_code for a in answers] == [200, 200, 429]
    assert int(answers[-1]["Retry-After"]) >= 1
    assert answers[-1].json()["code"] == "rate_limited"


def test_append_hostile_characters_are_stored_and_readable(dana, shop):
    raw = json.dumps(body(prompt("D\u0000i\u0000 \udc9f \u0000 😀 \\u0000"), shell("x", "a\u0000b\ud83d")))
    answer = dana.api.post("/api/v1/events", raw, content_type="application/json")

    assert answer.json()["accepted"] == 2

    text = Event.objects.get(kind="prompt").text
    assert "\u0000" not in text
    assert "😀" in text
    assert "\\u0000" in text
    text.encode("utf-8")


def test_append_remote_with_token_keeps_the_token_nowhere(dana, team):
    connect(dana, None)
    payload = body(prompt("a"))
    payload["session"]["project"] = {"identities": ["https://oauth2:FAKEtok0123456789@git.example.test/acme/shop.git"]}

    send(dana, payload)

    assert [i.value for i in Project.objects.get().identities.all()] == ["git.example.test/acme/shop"]


def test_append_activity_sets_the_line_and_is_not_stored(dana, shop):
    now = datetime.now(UTC)
    send(dana, body(prompt("go") | {"occurred_at": now.isoformat()}))
    send(dana, body(event("activity", name="Bash", text="Running pytest -q") | {"occurred_at": now.isoformat()}))

    assert Session.objects.get().activity == "Running pytest -q"
    assert Event.objects.count() == 1


@pytest.mark.parametrize(
    "claim, headers",
    [
        ({"user": "ravi"}, {}),
        ({}, {"X-Actor": "ravi"}),
        ({}, {"X-User": "ravi"}),
        ({}, {"X-Forwarded-User": "ravi"}),
    ],
)
def test_append_belongs_to_the_keys_person_whatever_it_claims(dana, ravi, shop, claim, headers):
    send(dana, body(prompt("a")) | claim, headers=headers)

    assert Session.objects.get().person == dana.user
    entry = AuditEntry.objects.get(verb="person.claim_ignored")
    assert (entry.actor_id, entry.target_name) == (dana.user.pk, "ravi")


def test_append_own_name_in_other_case_is_no_claim(dana, shop):
    send(dana, body(prompt("a")) | {"user": "DANA"})

    assert not AuditEntry.objects.filter(verb="person.claim_ignored").exists()


def test_append_any_uid_string_is_stable(dana, shop):
    payload = body(prompt("a", uid="not-a-uuid"), prompt("b", uid=str(uuid4())))
    send(dana, payload)

    assert send(dana, payload).json()["duplicates"] == 2


@pytest.mark.parametrize("said", [b"caf\xff", b"caf\\ud83d", b"caf\\x", b'caf\\u0000"'.replace(b'"', b"")])
def test_broken_text_of_one_item_is_repaired_and_harms_no_neighbour(dana, shop, said):
    whole = json.dumps(body(prompt("caf", at=1), reply("fine", at=2))).encode()
    answer = dana.api.post("/api/v1/events", whole.replace(b"caf", said), content_type="application/json")
    assert (answer.status_code, answer.json()["rejected"], answer.json()["accepted"]) == (200, [], 2)
    assert [event.text[:3] for event in Event.objects.order_by("number")] == ["caf", "fin"]
