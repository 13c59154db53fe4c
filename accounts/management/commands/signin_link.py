"""``manage.py signin_link [username]``: lets somebody in once, for those who can run commands on the server."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts import services
from accounts.authentication import system_actor
from accounts.models import Membership
from stash.errors import StashError


class Command(BaseCommand):
    help = "Print a link that signs one person in once within 15 minutes (the owner, unless a username is given)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["username"]:
            options["username"] = services.bootstrap().owner.username
        memberships = Membership.objects.active().select_related("team", "user").order_by("joined_at")
        membership = memberships.filter(user__username__iexact=options["username"]).first()
        if membership is None:
            raise CommandError(f"There is no active person {options['username']}.")
        try:
            link = services.make_signin_link(actor=system_actor(membership.team), user=membership.user)
        except StashError as error:
            raise CommandError(error.detail) from None
        self.stdout.write(link)
