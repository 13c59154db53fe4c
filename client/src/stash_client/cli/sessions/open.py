"""``stash sessions open``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client.api.client import Stash
from stash_client.cli.browser import show
from stash_client.cli.here import session_here
from stash_client.cli.output import Output


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("session", nargs="?", help="its id, whole or short; left out, the one that ran here last")


def run(chosen: Namespace, out: Output) -> None:
    with Stash() as stash:
        session = stash.session(chosen.session or session_here())
    show(session.url, out, session=session.id)
