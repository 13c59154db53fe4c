"""Reading the audit log and taking it away."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connections
from django.test import AsyncClient, Client
from django.utils import timezone

from accounts.audit_export import inert
from stash.audit.models import AuditEntry
from stash.audit.services import record
from tests.conftest import make_person


@pytest.fixture
def admin(team):
    cache.clear()
    return make_person(team, "ada", "admin")


def test_list_is_of_the_own_team_newest_first(admin, dana, olga, shop):
    for number in range(3):
        record(dana.actor, "project.renamed", shop, number=number)
    record(olga.actor, "project.renamed", name="theirs")
    found = admin.api.get("/api/v1/audit?action=project.renamed").json()
    assert [row["facts"]["number"] for row in found["results"]] == [2, 1, 0]
    assert found["next"] is None


def test_list_goes_on_by_cursor(admin, dana):
    for number in range(5):
        record(dana.actor, "thing.done", number=number)
    seen, cursor = [], ""
    while cursor is not None:
        page = admin.api.get(f"/api/v1/audit?limit=2&action=thing.done&cursor={cursor}").json()
        seen += [row["facts"]["number"] for row in page["results"]]
        cursor = page["next"]
    assert seen == [4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    "query, names",
    [
        ("actor=dana", {"Dana"}),
        ("action=project", {"Dana"}),
        ("action=key", {"Ravi"}),
        ("action=pro", set()),
        ("project=shop", {"Dana"}),
        ("project=nothing", set()),
    ],
)
def test_list_can_be_filtered(admin, dana, ravi, shop, query, names):
    record(dana.actor, "project.renamed", shop)
    record(ravi.actor, "key.created", ravi.key)
    assert {row["actor_name"] for row in admin.api.get(f"/api/v1/audit?{query}").json()["results"]} == names


def test_list_can_be_filtered_by_time_and_id(admin, dana):
    record(dana.actor, "thing.done")
    AuditEntry.objects.update(at=timezone.now() - timedelta(days=2))
    record(dana.actor, "thing.redone")
    cut = (timezone.now() - timedelta(days=1)).isoformat().replace("+", "%2B")
    assert [r["verb"] for r in admin.api.get(f"/api/v1/audit?until={cut}").json()["results"]] == ["thing.done"]
    assert [r["verb"] for r in admin.api.get(f"/api/v1/audit?since={cut}").json()["results"]] == ["thing.redone"]
    assert len(admin.api.get(f"/api/v1/audit?actor={dana.user.pk}").json()["results"]) == 2
    assert admin.api.get("/api/v1/audit?since=yesterday").status_code == 422


HOSTILE = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]


def test_csv_runs_nothing(admin, dana):
    for text in HOSTILE:
        record(dana.actor, "thing.done", name=text)
    answer = admin.api.get("/api/v1/audit.csv?action=thing")
    assert answer["Content-Type"].startswith("text/csv")
    assert "attachment" in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))
    assert [row["target_name"] for row in reversed(rows)] == [f"'{text}" for text in HOSTILE]
    assert all(inert(row["target_name"]) == row["target_name"] for row in rows)


def test_jsonl_has_one_entry_a_line(admin, dana):
    record(dana.actor, "thing.done", name="two\nlines", number=7)
    lines = admin.api.get("/api/v1/audit.jsonl?action=thing").getvalue().decode().splitlines()
    assert [json.loads(line)["target_name"] for line in lines] == ["two\nlines"]


def test_download_is_complete_over_many_pages_and_audited(admin, dana, monkeypatch):
    monkeypatch.setattr("accounts.audit_export._PAGE", 3)
    for number in range(10):
        record(dana.actor, "thing.done", number=number)
    lines = admin.api.get("/api/v1/audit.jsonl?action=thing").getvalue().decode().splitlines()
    assert [json.loads(line)["facts"]["number"] for line in lines] == list(range(9, -1, -1))
    assert AuditEntry.objects.filter(verb="audit.exported", actor_name="Ada").count() == 1


@pytest.mark.django_db(transaction=True)
async def test_download_streams_under_asgi(admin, dana):
    from asgiref.sync import sync_to_async

    await sync_to_async(record)(dana.actor, "thing.done")
    headers = {"authorization": f"Bearer {admin.secret}"}
    answer = await AsyncClient().get("/api/v1/audit.jsonl?action=thing", headers=headers)
    body = b"".join([part async for part in answer.streaming_content])
    assert json.loads(body)["verb"] == "thing.done"
    await sync_to_async(connections.close_all)()


def test_page_shows_entries_and_pages_through_them(admin, dana, monkeypatch):
    monkeypatch.setattr("accounts.views.audit._PAGE", 2)
    for number in range(5):
        record(dana.actor, "thing.done", name=f"object-{number}")
    browser = Client()
    browser.force_login(admin.user, backend="django.contrib.auth.backends.ModelBackend")
    first = browser.get("/t/harbour/settings/audit/?action=thing.done")
    assert b"object-4" in first.content
    assert b"object-2" not in first.content
    older = first.context["older"]
    assert b"object-2" in browser.get(f"/t/harbour/settings/audit/?{older}").content


def test_looking_into_a_restricted_project_without_a_grant_is_audited_once_an_hour(admin, shop):
    shop.visibility = "restricted"
    shop.save()
    for _ in range(2):
        assert admin.api.get("/api/v1/projects/shop").status_code == 200
    assert AuditEntry.objects.filter(verb="project.read_without_grant", actor_name="Ada").count() == 1
