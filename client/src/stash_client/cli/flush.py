"""``stash flush``: for machines that are thrown away, where nobody would send it later."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client.cli.output import UNREACHABLE, Failed, Output

EXAMPLES = ("stash flush", "stash flush --seconds 300")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=60, help="give up after this long (60)")


def run(chosen: Namespace, out: Output) -> None:
    from stash_client import sender

    left = sender.flush(chosen.seconds)
    if not left.nothing:
        raise Failed(
            f"Not everything could be sent in time: {left.records + left.frames} events are still here.",
            hint="They go with the next hook or flush. What stands in the way: stash status",
            code="unsent",
            exit_code=UNREACHABLE,
        )
    out.result({"left": 0}, "Everything is with the server.")
