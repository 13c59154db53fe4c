"""What every address below /api/ does alike: problems, limits, gzip, a database that is busy."""

from __future__ import annotations

import gzip
import json
import sqlite3

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from sessions_app.models import Event, Session
from stash.api.bodies import lines
from tests.sessions_app.wire import body, prompt

pytestmark = pytest.mark.django_db


def client_of(person, **options) -> Client:
    return Client(HTTP_AUTHORIZATION=f"Bearer {person.secret}", raise_request_exception=False, **options)


@pytest.mark.parametrize(
    "method, path, headers, status, code",
    [
        ("GET", "/api/v1/nothing", {}, 404, "not_found"),
        ("GET", "/api/nothing", {"HTTP_ACCEPT": "text/html"}, 404, "not_found"),
        ("GET", "/api/v1/sessions/not-an-id", {}, 404, "not_found"),
        ("GET", "/api/v1/events", {}, 405, "method_not_allowed"),
        ("GET", "/api/v1/sessions", {"HTTP_ACCEPT": "application/xml"}, 406, "not_acceptable"),
        ("POST", "/api/v1/projects/connect", {"CONTENT_TYPE": "text/plain"}, 415, "unsupported_media_type"),
        ("POST", "/api/v1/events", {"HTTP_CONTENT_ENCODING": "br"}, 415, "unsupported_encoding"),
        ("POST", "/api/v1/projects/connect", {"CONTENT_TYPE": "application/json"}, 400, "bad_json"),
    ],
)
def test_problems_are_documents(dana, method, path, headers, status, code):
    answer = client_of(dana).generic(method, path, b"[" * 100_000, **headers)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.json()["code"] == code
    assert answer.json()["status"] == status
    assert ("Allow" in answer) == (status in (405, 406, 415, 400))


def test_pages_stay_pages(dana):
    answer = client_of(dana).get("/nothing")
    assert (answer.status_code, answer["Content-Type"].split(";")[0]) == (404, "text/html")


@pytest.mark.parametrize("name, kind", [("transcript.md", "text/markdown"), ("events.jsonl", "application/x-ndjson")])
def test_a_download_may_be_asked_for_by_its_type(dana, shop, name, kind):
    dana.api.post("/api/v1/events", body(prompt("hello")), format="json")
    path = f"/api/v1/sessions/{Session.objects.get().pk}/{name}"
    answer = client_of(dana).get(path, HTTP_ACCEPT=kind)
    assert (answer.status_code, answer["Content-Type"].split(";")[0]) == (200, kind)
    assert client_of(dana).get(path + "x", HTTP_ACCEPT=kind).status_code == 404


def test_every_json_body_may_be_packed_and_is_limited(dana):
    wish = b'{"identities": ["git.example.test/acme/till"], "visibility": "private"}'
    answer = client_of(dana).post(
        "/api/v1/projects/connect", gzip.compress(wish), content_type="application/json", HTTP_CONTENT_ENCODING="gzip"
    )
    assert answer.status_code == 200
    large = b'{"identities": ["' + b"x" * settings.MAX_BODY + b'"]}'
    answer = client_of(dana).post("/api/v1/projects/connect", large, content_type="application/json")
    assert (answer.status_code, answer.json()["limit"]) == (413, settings.MAX_BODY)


def test_gzip_of_several_members_is_read_whole(dana, shop):
    whole = json.dumps(body(prompt("hello"))).encode()
    packed = gzip.compress(whole[:50]) + gzip.compress(whole[50:]) + b"\0" * 7
    answer = client_of(dana).post(
        "/api/v1/events", packed, content_type="application/json", HTTP_CONTENT_ENCODING="gzip"
    )
    assert answer.json()["accepted"] == 1


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_lines_are_cut_at_the_limit_and_go_on_at_the_next(size):
    text = b"one\n\nlonger than ten\nexactly10.\nlast one is long"
    pieces = iter([text[n : n + size] for n in range(0, len(text), size)])
    assert list(lines(pieces, longest=10)) == [b"one", b"", b"longer tha", b"exactly10.", b"last one i"]


def test_a_claim_that_no_database_stores_is_only_noticed(dana, shop):
    answer = client_of(dana).post(
        "/api/v1/events", {**body(prompt("hello")), "user": "ra\0vi \ud83d"}, content_type="application/json"
    )
    assert answer.status_code == 200


def test_a_session_header_may_be_utf8(dana, shop):
    project = '"project":{"identities":["git.example.test/acme/shop"]}'
    said = '{"native_id":"t-1","harness":"claude-code","branch":"größe",' + project + "}"
    record = b'{"type":"user","uuid":"u1","sessionId":"t-1","message":{"role":"user","content":"hello"}}'
    for header in (said.encode().decode("latin-1"), said):
        answer = client_of(dana).post(
            "/api/v1/transcripts", record, content_type="application/x-ndjson", HTTP_STASH_SESSION=header
        )
        assert answer.status_code == 200, answer.content
        assert Session.objects.get().branch == "größe"


@pytest.mark.parametrize("path", ["/api/v1/events", "/api/v1/sessions"])
def test_without_a_key_the_way_in_is_named(path, db):
    answer = Client().post(path, b"{}", content_type="application/json")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")


@pytest.mark.django_db(transaction=True)
def test_a_locked_database_answers_try_again(dana, shop):
    """SQLite gives up after its timeout; on PostgreSQL, where nothing locks the whole, a statement timeout does."""
    client, said = client_of(dana), body(prompt("hello"))
    assert client.post("/api/v1/events", said, content_type="application/json").status_code == 200
    more = body(prompt("more"))
    if connection.vendor == "sqlite":
        holder = sqlite3.connect(connection.settings_dict["NAME"], uri=True, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        restore = "PRAGMA busy_timeout = 20000"
        limit = "PRAGMA busy_timeout = 50"
    else:
        wanted = connection.get_connection_params()
        holder = psycopg.connect(
            **{n: wanted[n] for n in ("dbname", "host", "port", "user", "password") if n in wanted}
        )
        holder.execute("SELECT 1 FROM sessions_app_session FOR UPDATE")
        limit, restore = "SET lock_timeout = 50", "RESET lock_timeout"
    try:
        with connection.cursor() as cursor:
            cursor.execute(limit)
        answer = client.post("/api/v1/events", more, content_type="application/json")
    finally:
        holder.close()
        with connection.cursor() as cursor:
            cursor.execute(restore)
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert client.post("/api/v1/events", more, content_type="application/json").json()["accepted"] == 1
    assert Event.objects.count() == 2
