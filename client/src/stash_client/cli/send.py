"""``stash send``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client.cli.output import Output
from stash_client.sender import drain


def arguments(parser: ArgumentParser) -> None:
    pass


def run(chosen: Namespace, out: Output) -> None:
    done = drain()
    out.result({"done": done})
