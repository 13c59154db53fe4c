"""``stash resume``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client import pausing
from stash_client.cli.output import Output

EXAMPLES = ("stash resume",)


def arguments(parser: ArgumentParser) -> None:
    pass


def run(chosen: Namespace, out: Output) -> None:
    was = pausing.resume()
    words = "Capture goes on where you have connected. What happened meanwhile was not kept."
    out.result({"paused": False, "was_paused": was}, words if was else "It was not paused.")
