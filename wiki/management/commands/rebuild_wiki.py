"""`manage.py rebuild_wiki`: the index of all wikis, or one, from their files."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Project
from wiki.places import store_of
from wiki.services import rebuild_index


class Command(BaseCommand):
    help = "Makes the index of pages again from the files in git. What people said about pages is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", default="", help="<team>/<project>; left out: all that have pages")

    def handle(self, *, project: str, **options: Any) -> None:
        chosen = Project.objects.select_related("team")
        if project:
            team, _, slug = project.partition("/")
            chosen = chosen.filter(team__slug=team, slug=slug)
            if not chosen:
                raise CommandError(f"There is no project {project}; say <team>/<project>.")
        for one in chosen.order_by("team__slug", "slug"):
            if store_of(one.pk).head() is None:
                continue
            count = rebuild_index(one)
            self.stdout.write(f"{one.team.slug}/{one.slug}: {count} pages")
