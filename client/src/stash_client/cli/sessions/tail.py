"""``stash sessions tail``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client.api.client import Stash
from stash_client.cli.here import session_here
from stash_client.cli.output import Output
from stash_client.cli.rendering import event_lines


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("session", nargs="?", help="its id, whole or short; left out, the one that ran here last")
    parser.add_argument("-f", "--follow", action="store_true", help="go on with what comes, until Ctrl-C")
    parser.add_argument("-n", "--lines", metavar="N", type=int, default=10, help="how many of the last events (10)")


def run(chosen: Namespace, out: Output) -> None:
    """Followed, ``--json`` gives one document in each line: a stream has no end to close a list at."""
    with Stash() as stash:
        session = stash.session(chosen.session or session_here())
        after = max(session.last_seq - max(chosen.lines, 0), 0)
        if not chosen.follow:
            events = list(stash.events(session.id, after=after))
            out.result([e.raw for e in events], *(line for e in events for line in event_lines(e, out)))
            return
        for event in stash.tail(session.id, after=after):
            out.item(event.raw, *event_lines(event, out))
