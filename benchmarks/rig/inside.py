"""What only a process of the application can do; called through ``rig.servers.ask``."""

from __future__ import annotations

import json
import secrets
import sys
from typing import Any

import django


def prepare(people: int = 8) -> dict[str, Any]:
    """Migrate, make a team, people with keys who are connected to everything, and the floor's table."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    from floor.models import FloorEvent

    with connection.schema_editor() as editor:
        editor.create_model(FloorEvent)
    return {"team": "bench", "people": [_person(number) for number in range(people)]}


def _person(number: int) -> dict[str, str]:
    from accounts.authentication import digest_of
    from accounts.models import ApiKey, Connection, Machine, Membership, Team, User

    team, _ = Team.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    user = User.objects.create_user(f"person{number}", f"person{number}@example.test", None)
    membership = Membership.objects.create(team=team, user=user, role="owner" if number == 0 else "member")
    machine = Machine.objects.create(membership=membership, name=f"machine{number}")
    secret = f"stash_{secrets.token_urlsafe(32)}"
    ApiKey.objects.create(
        membership=membership,
        machine=machine,
        name="bench",
        digest=digest_of(secret),
        last4=secret[-4:],
        scopes=["capture", "read", "write", "admin"],
    )
    Connection.objects.create(membership=membership, project=None, visibility="project")
    return {"user": user.username, "secret": secret}


def stored() -> dict[str, list[tuple[str, int]]]:
    """(delivery id, number) of every event, by session, as the tables have them."""
    from sessions_app.models import Event

    found: dict[str, list[tuple[str, int]]] = {}
    for session, uid, number in Event.objects.order_by("id").values_list("session_id", "uid", "number"):
        found.setdefault(str(session), []).append((str(uid), number))
    return found


def fill(events: int, long: int) -> dict[str, str]:
    from rig import filling

    return filling.fill(events, long)


def retrieval(which: str, folder: str, without: list[str]) -> dict[str, Any]:
    from rig.retrieval import measure

    return measure(which, folder, without)


def search_speed(events: int, questions: int) -> dict[str, Any]:
    from rig.searching import measure

    return measure(events, questions)


def search_fuzz(secret: str, count: int) -> dict[str, Any]:
    from rig.searching import fuzz

    return fuzz(secret, count)


if __name__ == "__main__":
    django.setup()
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
