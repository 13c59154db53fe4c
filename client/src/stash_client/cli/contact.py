"""Showing that a first event has arrived, or what is wrong."""

from __future__ import annotations

from stash_client import accounts, firstcontact
from stash_client.cli.output import Output, plain
from stash_client.consent import Connection


def show(out: Output, connection: Connection, folder: str) -> bool:
    account = accounts.load().named(connection.server)
    if account is None:
        return False
    out.say("", "Sending a first event ...")
    made = firstcontact.make(account, folder)
    if made.trouble:
        out.say(f"{out.styled('It has not arrived.', 'red')} {plain(made.trouble)}", "stash doctor looks into it.")
        return False
    out.say(f"{out.styled('It arrived.', 'green')} Only you see it: {plain(made.url)}")
    return True
