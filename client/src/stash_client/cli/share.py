"""``stash share``."""

from __future__ import annotations

from argparse import Namespace

from stash_client.cli.output import Failed, Output
from stash_client.cli.private import arguments, change
from stash_client.cli.which import which

__all__ = ["arguments", "run"]
EXAMPLES = ("stash share", "stash share --yes --json")


def run(chosen: Namespace, out: Output) -> None:
    session = which(chosen.session)
    if not out.ask(f"Let everybody who can see its project read {session.called}, all of it?", default=False):
        raise Failed("Nothing was changed.", hint="Without a terminal: stash share --yes", code="declined")
    change(session, "project", out)
