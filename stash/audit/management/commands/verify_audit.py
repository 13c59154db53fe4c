"""`manage.py verify_audit`: has anybody changed the past?"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from stash.audit.sealing import verify


class Command(BaseCommand):
    help = "Recomputes every seal of the audit log; exit code 1 names the first broken place."

    def handle(self, **options: Any) -> None:
        verdict = verify()
        if verdict.broken:
            raise CommandError(
                f"The audit log was changed: {verdict.broken}. {verdict.seals} seals before it are intact."
            )
        self.stdout.write(
            f"The audit log is intact: {verdict.entries} entries in {verdict.seals} seals, "
            f"{verdict.unsealed} not sealed yet."
        )
