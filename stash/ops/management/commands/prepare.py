"""`manage.py prepare`: everything that must be done once after an installation or an update."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from stash.ops import stamp, welcome
from stash.ops.prepare import prepare


class Command(BaseCommand):
    help = "Brings tables, static files, schedules and the first owner up to date. Running it again changes nothing."
    requires_system_checks = []  # they need tables that may not exist yet

    def handle(self, **options: Any) -> None:
        prepare(self._say)
        stamp.write(settings.DATA_DIR)
        self._say(f"Stash is at {settings.URL}")
        for line in welcome.lines():
            self._say(line)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
