"""``manage.py demo``: a believable team to look at."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.authentication import system_actor
from accounts.models import Team
from accounts.services import bootstrap, make_signin_link
from stash.home.demo.play import keep_moving, play_all
from stash.home.demo.stage import Stage, has_real_data, set_the_stage


class Command(BaseCommand):
    help = (
        "Fills the server with the team Harbour: five people, four projects and their agents' sessions of today. "
        "A second run on the same day adds nothing. Other teams are left alone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="also on a server where real sessions are")
        parser.add_argument(
            "--live", nargs="?", type=float, const=5.0, metavar="MINUTES", help="keep some sessions moving (5 minutes)"
        )

    def handle(self, *args: Any, yes: bool = False, live: float | None = None, **options: Any) -> None:
        if has_real_data() and not yes:
            raise CommandError("This server holds real sessions. Say --yes to add the demo team beside them.")
        if not Team.objects.exists():
            bootstrap()  # or the demo's owner would be taken for the first owner of this installation
        now = datetime.now(UTC)
        stage = set_the_stage()
        stored = play_all(stage, now)
        self.stdout.write(f"{stored} events of the team {stage.team.name} added." if stored else "Nothing to add.")
        self._say_how_to_sign_in(stage)
        if live is not None:
            self._keep_moving(stage, live)

    def _say_how_to_sign_in(self, stage: Stage) -> None:
        link = make_signin_link(actor=system_actor(stage.team), user=stage.owner)
        self.stdout.write(f"Sign in as {stage.owner.display_name} within 15 minutes, once:\n\n  {link}\n")

    def _keep_moving(self, stage: Stage, minutes: float) -> None:
        self.stdout.write(f"Sessions keep moving for {minutes:g} min. Ctrl-C stops it.")
        self.stdout.flush()
        try:
            keep_moving(stage, datetime.now(UTC), timedelta(minutes=minutes))
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
