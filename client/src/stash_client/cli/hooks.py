"""``stash hooks``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client.cli.output import Output
from stash_client.cli.snippets import SNIPPETS

EXAMPLES = ("stash hooks claude-code", "stash hooks codex --json")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("harness", choices=sorted(SNIPPETS))


def run(chosen: Namespace, out: Output) -> None:
    path, text = SNIPPETS[chosen.harness]
    out.result({"file": path, "merge": text}, f"Merge this into {path}:\n\n{text}")
