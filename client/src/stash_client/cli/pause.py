"""``stash pause``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime, timezone

from stash_client import pausing
from stash_client.cli.moments import clock
from stash_client.cli.output import USAGE, Failed, Output

EXAMPLES = ("stash pause", "stash pause 30m")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("time", nargs="?", default="", help="30m, 2h or 1d; left out: until stash resume")


def run(chosen: Namespace, out: Output) -> None:
    try:
        until = datetime.now(timezone.utc) + pausing.span(chosen.time) if chosen.time else None
    except ValueError as fault:
        raise Failed(f"{fault}.", code="usage", exit_code=USAGE) from None
    pausing.pause(until)
    end = f"until {clock(until)}" if until else "until you say: stash resume"
    out.result(
        {"paused": True, "until": until.isoformat() if until else None},
        f"Paused {end}. No session on this machine is captured meanwhile; what already waits is still sent.",
    )
