"""Asking once inside a repository whose team uses Stash, whichever command its person types there.

Nearly always there is nothing to ask, and a few looks at the disk say so.
"""

from __future__ import annotations

import os

from stash_client.cli.commands import COMMANDS
from stash_client.cli.output import Output

_NOT_BEFORE = {
    "signin",
    "connect",
    "disconnect",
    "logout",
    "pause",
    "private",
    "forget",
    "help",
    "completions",
    "hooks",
}
"""What is about consent itself, urgent, or no reason to talk about it."""


def invite(command: str, out: Output) -> None:
    """Does nothing where somebody was asked before, nobody can answer, or the server does not."""
    if out.as_json or out.yes or COMMANDS[command].hidden or command in _NOT_BEFORE or not _marked(os.getcwd()):
        return
    from stash_client.cli.asking import can_ask

    if can_ask(out):
        _ask(out)


def _marked(folder: str) -> bool:
    """Whether there is a marker here or above, in the same repository."""
    while True:
        if os.path.lexists(os.path.join(folder, ".stash.toml")):
            return True
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return False
        folder = above


def _ask(out: Output) -> None:
    from stash_client import accounts, api, connecting, consent, marker
    from stash_client.checkout import checkout_of
    from stash_client.cli import consenting

    main = accounts.load().main
    if main is None:
        return
    checkout = checkout_of(os.getcwd(), main.machine)
    consents = consent.load()
    if consents.for_checkout(checkout) or consents.refuses(checkout):
        return
    if not marker.read(checkout.root or checkout.place).proposes:
        return
    try:
        proposal = connecting.propose(accounts.load(), os.getcwd())
        if proposal is not None:
            out.say("This repository is meant to be connected to Stash.")
            consenting.offer(out, proposal)
            out.say("")
    except (api.Unreachable, api.Refused) as trouble:
        out.aside(f"This repository is meant to be connected to Stash; its server could not be asked: {trouble}")
