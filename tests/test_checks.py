"""Bad configuration is said at start."""

from __future__ import annotations

import pytest
from django.core.checks import run_checks

from stash import client_wheel
from stash.checks import client, configuration, static_files


def found(messages) -> set[str]:
    return {message.id for message in messages}


@pytest.mark.parametrize(
    "wrong, code",
    [
        ({"ROLE": "webb"}, "stash.E001"),
        ({"SIGNUP": "invitation"}, "stash.E002"),
        ({"OUTBOUND_ALLOW": ["10.0.0.0/99"]}, "stash.E003"),
        ({"URL": "stash.example.org"}, "stash.E004"),
        ({"URL": "https://stash.example.org", "DEBUG": True}, "stash.E005"),
        ({"URL": "http://stash.example.org"}, "stash.W001"),
        ({"SECRET_KEY": "short"}, "stash.E007"),
        ({"METRICS_TOKEN": "short"}, "stash.E008"),
        ({"ROLE": "web", "REDIS_URL": ""}, "stash.W002"),
        ({"ROLE": "web", "CACHES": {"default": {"BACKEND": "x.locmem.LocMemCache"}}}, "stash.E009"),
        ({"WEB_PROCESSES": 2, "CACHES": {"default": {"BACKEND": "x.locmem.LocMemCache"}}}, "stash.E009"),
        ({"ROLE": "ws", "SQLITE": True}, "stash.W003"),
    ],
)
def test_wrong_value_is_named(settings, wrong, code):
    before = found(configuration(None))
    for name, value in wrong.items():
        setattr(settings, name, value)
    assert code in found(configuration(None)) - before


def test_worker_with_a_pool_is_named(settings, monkeypatch):
    settings.ROLE = "worker"
    pooled = {**settings.DATABASES["default"], "OPTIONS": {"pool": {"min_size": 1}}}
    monkeypatch.setitem(settings.DATABASES, "default", pooled)
    assert "stash.E010" in found(configuration(None))


def test_missing_static_files_are_named(settings, tmp_path):
    settings.STORAGES = {"staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}}
    settings.STATIC_ROOT = tmp_path
    assert found(static_files(None)) == {"stash.E006"}
    (tmp_path / "staticfiles.json").write_text("{}")
    assert static_files(None) == []


def test_a_missing_client_is_named(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    assert found(client(None)) == {"stash.E011"}
    client_wheel.make()
    assert client(None) == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://stash.localhost", "http://nas", "http://192.168.1.5"])
def test_plain_http_at_home_is_fine(settings, url):
    settings.URL = url
    assert "stash.W001" not in found(configuration(None))


def test_defaults_are_without_complaint(db):
    assert run_checks() == []
