"""``stash open``: the server's pages in the browser."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from stash_client import accounts
from stash_client.api.errors import NoAccount
from stash_client.cli.browser import show
from stash_client.cli.here import session_here
from stash_client.cli.output import NOT_ALLOWED, Failed, Output

EXAMPLES = ("stash open", "stash open session", "stash open project", "stash sessions open 5f3a9c1e")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        choices=("session", "project"),
        help="the session that ran here last, or this checkout's sessions; left out, the team's home",
    )


def run(chosen: Namespace, out: Output) -> None:
    from stash_client.api.client import Stash

    account = accounts.load().main
    if account is None:
        raise NoAccount
    with Stash() as stash:
        if chosen.what == "session":
            show(stash.session(session_here()).url, out)
            return
        team = account.team or stash.me().team
    home = f"{account.url}/t/{team}/"
    show(f"{home}sessions/?project={_project(account.machine)}" if chosen.what else home, out)


def _project(machine: str) -> str:
    """This checkout's project on the server. Raises Failed where it has none yet."""
    from stash_client import consent
    from stash_client.checkout import checkout_of

    connection = consent.load().for_checkout(checkout_of(os.getcwd(), machine))
    if connection is None:
        raise Failed(
            "This folder is not connected.", hint="Run: stash connect", code="not_connected", exit_code=NOT_ALLOWED
        )
    return connection.slug or _slug_on_server(machine)


def _slug_on_server(machine: str) -> str:
    """Found by identity, where the connection was made before the project had a name."""
    from stash_client.api.client import Stash
    from stash_client.checkout import checkout_of
    from stash_client.cli.output import NOT_FOUND

    mine = set(checkout_of(os.getcwd(), machine).identities)
    with Stash() as stash:
        for project in stash.projects():
            if mine & {str(identity) for identity in project.get("identities") or ()}:
                return str(project["slug"])
    raise Failed("The server has no project for this checkout yet.", code="not_found", exit_code=NOT_FOUND)
