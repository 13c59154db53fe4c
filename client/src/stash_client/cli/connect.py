"""``stash connect``."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from stash_client import accounts, api, consent
from stash_client.checkout import checkout_of
from stash_client.cli.output import NOT_ALLOWED, Failed, Output

EXAMPLES = ("stash connect", "stash connect --private")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--private", action="store_true", help="new sessions are for your eyes only")


def run(chosen: Namespace, out: Output) -> None:
    mine = accounts.load().main
    if mine is None:
        raise Failed("This machine is not signed in.", hint="Run: stash signin URL", exit_code=NOT_ALLOWED)
    where = checkout_of(os.getcwd(), mine.machine)
    visibility = "private" if chosen.private else "project"
    wish = {"identities": list(where.identities), "visibility": visibility}
    api.post(f"{mine.url}/api/v1/projects/connect", wish, key=mine.key)
    connection = consent.Connection(mine.label, where.place, name=where.name or "", visibility=visibility)
    consent.save(consent.load().with_connection(connection))
    seen_by = "only you" if chosen.private else "everybody who can see the project"
    out.result(
        {"place": where.place, "visibility": visibility},
        f"Connected {where.name or where.identities[0]}. New sessions here can be seen by {seen_by}.",
    )
