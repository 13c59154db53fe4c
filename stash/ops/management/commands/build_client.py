"""`manage.py build_client`: the wheel that /install hands out; `prepare` does it too."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from stash import client_wheel


class Command(BaseCommand):
    help = "Builds the client's wheel beside the collected static files. Running it again changes nothing."
    requires_system_checks = []  # one of them asks for what is made here

    def handle(self, **options: Any) -> None:
        client_wheel.make()
        wheel = client_wheel.current()
        if wheel is not None:
            self.stdout.write(f"{wheel.path} sha256:{wheel.sha256}")
