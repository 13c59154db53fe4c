"""What reaches the log: ids and routes, never a secret, a query or a body."""

from __future__ import annotations

import io
import json
import logging

import pytest
import structlog

from stash.logging import LOGGING, without_secrets

KEY = "sk-ant-" + "api03-" + "A9b8C7d6E5f4G3h2I1j0" * 4
PASSWORD = "correct-horse-battery-staple-77"


@pytest.fixture
def log(monkeypatch):
    """Everything the root handler would write, at every level, as text."""
    config = logging.config.dictConfigClass(LOGGING)
    formatter = config.configure_formatter(dict(LOGGING["formatters"]["line"]))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.addHandler(handler)
    before, root.level = root.level, logging.DEBUG
    yield stream
    root.level = before
    root.removeHandler(handler)


def lines(log) -> list[dict]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_request_is_named_by_route_and_id(client, log):
    response = client.get("/healthz?token=orchid")
    (line,) = [line for line in lines(log) if line["event"] == "request"]
    assert line["request_id"] == response["X-Request-ID"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "healthz", 200)
    assert "orchid" not in log.getvalue()


def test_a_posted_secret_is_nowhere_in_the_log(dana, shop, log):
    body = {
        "session": {"harness": "claude-code", "native_id": "a", "cwd": KEY},
        "events": [{"uid": KEY, "kind": PASSWORD}],
    }
    dana.api.post(f"/api/v1/events?key={KEY}", body, format="json")
    dana.api.post("/api/v1/me/keys", {"name": PASSWORD, "scopes": [KEY]}, format="json")
    dana.api.post("/api/v1/events", data=b"\xff" + KEY.encode(), content_type="application/json")
    text = log.getvalue()
    assert '"route": "api/v1/events"' in text
    for secret in (KEY, PASSWORD, dana.secret):
        assert secret not in text


def test_a_one_time_link_is_not_logged(client, db, log):
    client.get("/accounts/once/once_abcdefghijklmnop/")
    client.get("/accounts/invitations/secret-of-an-invitation/")
    assert "abcdefghijklmnop" not in log.getvalue()
    assert "secret-of-an-invitation" not in log.getvalue()


def test_a_fault_is_logged_with_its_trace_but_without_secrets(log):
    try:
        raise RuntimeError(f"cannot use {KEY}")
    except RuntimeError:
        structlog.get_logger("stash.test").exception("failed at /accounts/once/abcdef/?next=/", key=KEY)
    (line,) = lines(log)
    assert "RuntimeError" in line["exception"]
    assert line["event"] == "failed at /accounts/once/…/"
    assert KEY not in log.getvalue()


def test_a_library_that_logs_a_secret_is_cleaned_too(log):
    logging.getLogger("urllib3").warning("calling https://user:%s@example.test/ with %s", PASSWORD, KEY)
    assert KEY not in log.getvalue()
    assert PASSWORD not in log.getvalue()


def test_numbers_and_ids_stay_as_they_are():
    line = without_secrets(None, "", {"event": "x", "ms": 1.5, "ok": True, "request_id": "0" * 32, "user": None})
    assert line == {"event": "x", "ms": 1.5, "ok": True, "request_id": "0" * 32, "user": None}
