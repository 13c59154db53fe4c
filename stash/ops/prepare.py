"""Brings an installation up to date: tables, static files, schedules, the client. Idle and quick when none is due."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.recorder import MigrationRecorder

from stash import client_wheel
from stash.ops import schedules


def prepare(say: Callable[[str], None]) -> None:
    """``say`` hears about each step that takes a while, before it is taken."""
    if missing := unapplied():
        say(f"Applying {len(missing)} migrations ...")
        call_command("migrate", interactive=False, verbosity=0, database=DEFAULT_DB_ALIAS)
    collect_static(say)
    if client_wheel.make():
        say("Built the client that /install hands out.")
    schedules.install()


def unapplied() -> list[str]:
    """Migrations on disk that the database has not seen. Reads file names only, so that probes may ask often."""
    recorder = MigrationRecorder(connection)
    applied = set(recorder.applied_migrations())
    return [f"{app}.{name}" for app, name in _migrations_on_disk() if (app, name) not in applied]


def _migrations_on_disk() -> Iterator[tuple[str, str]]:
    for config in apps.get_app_configs():
        module = settings.MIGRATION_MODULES.get(config.label, f"{config.name}.migrations")
        spec = find_spec(module) if module else None
        for folder in (spec.submodule_search_locations or []) if spec else []:
            for path in sorted(Path(folder).glob("[!_~]*.py")):
                yield config.label, path.stem


def collect_static(say: Callable[[str], None]) -> None:
    """Collect static files if any of them is new, changed or gone since the last time."""
    stamp = settings.DATA_DIR / "static.stamp"
    now = _static_fingerprint()
    if stamp.exists() and stamp.read_text() == now and settings.STATIC_ROOT.is_dir():
        return
    say("Collecting static files ...")
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(now)


def _static_fingerprint() -> str:
    state = hashlib.sha256(f"{settings.STATIC_ROOT} {settings.STORAGES['staticfiles']}".encode())
    staticfiles: Any = apps.get_app_config("staticfiles")
    for finder in get_finders():
        for name, storage in finder.list(staticfiles.ignore_patterns):
            facts = Path(storage.path(name)).stat()
            state.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return state.hexdigest()
