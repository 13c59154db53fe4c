"""``stash disconnect``: nothing more is captured here. What was captured stays; ``stash forget`` removes."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from stash_client import accounts, api, connecting, consent, repofiles
from stash_client.checkout import Checkout, checkout_of, is_tracked
from stash_client.cli import consenting
from stash_client.cli.output import Failed, Output
from stash_client.consent import Connection, Consents

EXAMPLES = ("stash disconnect",)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="every repository on this machine")
    parser.add_argument("--local", action="store_true", help="on this machine only; do not tell the server")
    parser.add_argument("--files", action="store_true", help="take our words out of the repository, committed or not")


def run(chosen: Namespace, out: Output) -> None:
    if chosen.all:
        _everything(chosen, out)
        return
    main = accounts.load().main
    checkout = checkout_of(os.getcwd(), main.machine if main else "")
    before = consent.load()
    connection = before.for_checkout(checkout)
    connecting.disconnect(checkout.place)
    name = checkout.name or checkout.place
    if connection is None:
        out.say(f"{name} was not connected; nobody asks about it again.")
    else:
        out.say(f"Disconnected {name}. Nothing more is captured here; what was captured stays.")
    ended = _told_server(chosen, out, connection, before)
    files = _clean(chosen, out, checkout)
    out.result({"place": checkout.place, "was_connected": connection is not None, "ended": ended, "files": files})


def _told_server(chosen: Namespace, out: Output, connection: Connection | None, before: Consents) -> bool:
    """Whether the server's side of it ended as well. Another checkout of the project keeps it."""
    if connection is None or connection.is_everything or chosen.local:
        return False
    if connecting.is_used_elsewhere(connection, before):
        out.say("Another checkout of the same project stays connected.")
        return False
    account = accounts.load().named(connection.server)
    if account is None:
        return False
    try:
        ended = connecting.end_on_server(account, slug=connection.slug, project=connection.project)
    except (api.Unreachable, api.Refused) as trouble:
        out.aside(
            f"{consenting.server_of(account)} could not be told ({trouble}); this machine sends nothing from here."
        )
        return False
    if ended:
        out.say("Other machines of yours stop capturing this project too, until you connect there again.")
    return bool(ended)


def _clean(chosen: Namespace, out: Output, checkout: Checkout) -> list[str]:
    """Files that were committed are the team's: they stay unless ``--files`` says otherwise."""
    root = Path(checkout.root or checkout.place)
    plan = repofiles.to_disconnect(root)
    if not chosen.files:
        kept = [c.path.name for c in plan.changes if checkout.is_git and is_tracked(str(root), str(c.path))]
        if kept:
            out.say(f"{', '.join(kept)} is committed, for your team, and stays. To change it: stash disconnect --files")
        plan = repofiles.Plan(tuple(c for c in plan.changes if c.path.name not in kept), plan.left_alone)
    return consenting.apply_plan(out, plan, root, "Take this out of the repository?")


def _everything(chosen: Namespace, out: Output) -> None:
    before = consent.load()
    if not out.ask("Stop capturing in every repository on this machine?", default=False):
        raise Failed("Nothing was changed.", hint="Without a terminal: stash disconnect --all --yes", code="declined")
    connecting.disconnect_everything()
    count = len(before.connections)
    out.say("Disconnected everything. Nothing is captured on this machine; what was captured stays.")
    untold = [] if chosen.local else _end_all(out, before)
    out.result({"ended": count, "servers_not_told": untold})


def _end_all(out: Output, before: Consents) -> list[str]:
    untold = []
    for account in connecting.servers_of(before):
        try:
            connecting.end_on_server(account, all_of_them=True)
        except (api.Unreachable, api.Refused) as trouble:
            out.aside(f"{consenting.server_of(account)} could not be told ({trouble}).")
            untold.append(account.label)
    return untold
