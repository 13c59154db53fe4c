"""Puts Dana and Ravi into the server's database; prints their keys and a sign-in link of Ravi's. Mara has nothing yet.

A program of its own, run beside the server.
"""

import json
import sys

import django

django.setup()

from django.db import transaction  # noqa: E402

from accounts.authentication import system_actor  # noqa: E402
from accounts.models import Team  # noqa: E402
from accounts.services import make_signin_link  # noqa: E402
from tests.conftest import connect, make_person, make_project  # noqa: E402

with transaction.atomic():
    team = Team.objects.create(slug="harbour", name="Harbour")
    dana, ravi = make_person(team, "dana", "owner"), make_person(team, "ravi")
    make_person(team, "mara")
    shop = make_project(team, "shop")
    for person in (dana, ravi):
        connect(person, shop)
link = make_signin_link(actor=system_actor(team), user=ravi.user)
keys = {person.user.username: person.secret for person in (dana, ravi)}
sys.stdout.write(json.dumps({"keys": keys, "link": link}))
