"""``stash flush``: stay until all that was captured is with its server."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client import sender
from stash_client.cli.output import UNREACHABLE, Failed, Output


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=60, help="how long to try; 60 unless told")


def run(chosen: Namespace, out: Output) -> None:
    left = sender.flush(chosen.seconds)
    if not left.nothing:
        waiting = left.records + left.frames
        raise Failed(
            f"{waiting} still waiting after {chosen.seconds:g} seconds.",
            hint="See why with: stash spool",
            code="still_waiting",
            exit_code=UNREACHABLE,
        )
    out.result({"records": 0, "events": 0}, "All that was captured is with its server.")
