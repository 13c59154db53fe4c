"""``stash sessions show``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client.api.client import Stash
from stash_client.cli.here import session_here
from stash_client.cli.output import Output
from stash_client.cli.rendering import event_lines, head_lines


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("session", nargs="?", help="its id, whole or short; left out, the one that ran here last")
    parser.add_argument("--kind", metavar="KINDS", default="", help="only these, as prompt,reply,tool_call")
    parser.add_argument("--full", action="store_true", help="outputs whole, not their first lines")
    parser.add_argument("--markdown", action="store_true", help="the transcript as markdown, as the server makes it")


def run(chosen: Namespace, out: Output) -> None:
    with Stash() as stash:
        whole = stash.full_id(chosen.session or session_here())
        if chosen.markdown:
            text = stash.transcript(whole)
            out.result({"session": whole, "markdown": text}, text.rstrip())
            return
        session = stash.session(whole)
        events = stash.events(whole, kinds=filter(None, chosen.kind.split(",")))
        if out.as_json:
            out.result({"session": session.raw, "events": [event.raw for event in events]})
            return
        out.say(*head_lines(session, out))
        for event in sorted(events, key=lambda e: (e.occurred_at, e.n, e.number)):
            out.say(*event_lines(event, out, full=chosen.full))
