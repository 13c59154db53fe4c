"""System checks: a configuration that cannot work, or is not safe, is said at start and not found out later."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from stash import client_wheel

ROLES = ("web", "ws", "worker", "recall", "all")
SIGNUPS = ("open", "invite", "closed")
_SHORTEST_SECRET = 40
_SHORTEST_TOKEN = 16


@register("stash")
def configuration(app_configs: Any, **options: Any) -> list[CheckMessage]:
    return [*_words(), *_address(), *_secrets(), *_processes()]


@register(Tags.staticfiles, deploy=True)
def static_files(app_configs: Any, **options: Any) -> list[CheckMessage]:
    backend = settings.STORAGES["staticfiles"]["BACKEND"]
    if "Manifest" not in backend or (settings.STATIC_ROOT / "staticfiles.json").exists():
        return []
    return [Error("Static files were not collected.", hint="Run manage.py prepare.", id="stash.E006")]


@register("stash", deploy=True)
def client(app_configs: Any, **options: Any) -> list[CheckMessage]:
    if client_wheel.current() is not None:
        return []
    return [Error("The client that /install hands out was not built.", hint="Run manage.py prepare.", id="stash.E011")]


def _words() -> Iterator[CheckMessage]:
    if settings.ROLE not in ROLES:
        yield Error(f"STASH_ROLE is {settings.ROLE!r}.", hint=f"One of {', '.join(ROLES)}.", id="stash.E001")
    if settings.SIGNUP not in SIGNUPS:
        yield Error(f"STASH_SIGNUP is {settings.SIGNUP!r}.", hint=f"One of {', '.join(SIGNUPS)}.", id="stash.E002")
    for entry in settings.OUTBOUND_ALLOW:
        if "/" in entry and not _is_network(entry):
            yield Error(f"STASH_OUTBOUND_ALLOW names {entry!r}, which is no network.", id="stash.E003")


def _address() -> Iterator[CheckMessage]:
    parts = urlsplit(settings.URL)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        yield Error(f"STASH_URL is {settings.URL!r}.", hint="As in https://stash.example.org", id="stash.E004")
    elif not _is_local(parts.hostname):
        if settings.DEBUG:
            yield Error("STASH_DEBUG is on where others can reach it: errors would show settings.", id="stash.E005")
        if parts.scheme == "http":
            yield Warning(
                "STASH_URL is plain http on a host that others reach: keys and captured text travel readable.",
                hint="Put a TLS proxy in front and set STASH_URL=https://…",
                id="stash.W001",
            )


def _secrets() -> Iterator[CheckMessage]:
    if len(settings.SECRET_KEY) < _SHORTEST_SECRET:
        yield Error("STASH_SECRET_KEY is too short.", hint=f"{_SHORTEST_SECRET} characters or more.", id="stash.E007")
    if settings.METRICS_TOKEN and len(settings.METRICS_TOKEN) < _SHORTEST_TOKEN:
        yield Error("STASH_METRICS_TOKEN is too short.", hint=f"{_SHORTEST_TOKEN} characters or more.", id="stash.E008")


def _processes() -> Iterator[CheckMessage]:
    several = settings.ROLE in ("web", "ws") or settings.WEB_PROCESSES > 1
    if several and not settings.REDIS_URL:
        yield Warning(
            "Several processes without REDIS_URL: watchers see news of another process after 2 s only.",
            id="stash.W002",
        )
    if several and "locmem" in settings.CACHES["default"]["BACKEND"]:
        yield Error("Several web processes need a shared cache: sign-in codes live there.", id="stash.E009")
    if settings.ROLE == "worker" and settings.DATABASES["default"].get("OPTIONS", {}).get("pool"):
        yield Error("A worker forks, and a connection pool does not survive that.", id="stash.E010")
    if settings.SQLITE and settings.ROLE in ("web", "ws"):
        yield Warning("SQLite serves one machine.", hint="Set DATABASE_URL to PostgreSQL.", id="stash.W003")


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host


def _is_network(entry: str) -> bool:
    try:
        ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False
    return True
