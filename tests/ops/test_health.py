from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django_q.models import OrmQ

from stash import client_wheel
from stash.ops import health, prepare


@pytest.fixture(autouse=True)
def _built(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    client_wheel.make()


def test_alive_asks_no_database(client):  # no db fixture: a query would fail the test
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert response["Cache-Control"].startswith("max-age=0")


def test_ready_when_every_check_holds(client, db):
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json()["ready"] is True
    assert set(response.json()["checks"]) == {"database", "migrations", "queue", "search", "meaning", "disk", "client"}


def test_not_ready_with_a_migration_to_apply(client, db):
    MigrationRecorder(connection).record_unapplied("audit", "0003_append_only")
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["migrations"] == {"ok": False, "missing": 1}


def test_not_ready_when_due_work_waits_too_long(client, db, settings):
    now = timezone.now()
    OrmQ.objects.create(key="stash", payload="", lock=now - timedelta(seconds=settings.READY_QUEUE_SECONDS + 60))
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["queue"]["oldest_seconds"] >= settings.READY_QUEUE_SECONDS + 60


def test_work_in_progress_is_no_backlog(client, db):
    OrmQ.objects.create(key="stash", payload="", lock=timezone.now() + timedelta(minutes=10))
    assert client.get("/readyz").json()["checks"]["queue"] == {"ok": True, "oldest_seconds": 0}


def test_not_ready_on_a_full_disk(client, db, settings):
    settings.READY_DISK_MB = 10**9
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["disk"]["ok"] is False


def test_not_ready_without_the_client_to_hand_out(client, db, tmp_path):
    client_wheel.current().path.unlink()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["client"] == {"ok": False, "version": None}


@pytest.mark.django_db(transaction=True)
def test_not_ready_without_a_table(client):
    with connection.schema_editor() as editor:
        editor.execute("ALTER TABLE django_q_ormq RENAME TO gone")
    try:
        response = client.get("/readyz")
    finally:
        with connection.schema_editor() as editor:
            editor.execute("ALTER TABLE gone RENAME TO django_q_ormq")
    assert response.status_code == 503
    assert response.json()["checks"]["queue"]["ok"] is False
    assert response.json()["checks"]["database"] == {"ok": True}


def test_a_check_that_cannot_ask_names_the_error_only():
    def broken() -> health.Finding:
        raise DatabaseError("password=orchid")

    assert health._asked(broken) == health.Finding(False, {"error": "DatabaseError"})


def test_unapplied_agrees_with_django(db):
    assert prepare.unapplied() == []
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    assert prepare.unapplied() == ["sessions.0001_initial"]


@pytest.mark.parametrize("token, sent", [("", "Bearer "), ("", ""), ("t" * 20, "Bearer wrong"), ("t" * 20, "")])
def test_metrics_do_not_exist_without_the_token(client, settings, token, sent):
    settings.METRICS_TOKEN = token
    assert client.get("/metrics", headers={"Authorization": sent}).status_code == 404


def test_metrics_with_the_token(client, settings):
    settings.METRICS_TOKEN = "t" * 20
    response = client.get("/metrics", headers={"Authorization": "Bearer " + "t" * 20})
    assert response.status_code == 200
    assert b"python_info" in response.content
