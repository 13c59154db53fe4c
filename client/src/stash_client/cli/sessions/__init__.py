"""``stash sessions``: list, read, watch and export what a server has of sessions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _SubParsersAction
from importlib import import_module
from typing import Any

from stash_client.cli.output import Output

EXAMPLES = (
    "stash sessions --by me --since 2d",
    "stash sessions show 5f3a9c1e",
    "stash sessions tail -f 5f3a9c1e",
    "stash sessions export 5f3a9c1e -o session.jsonl",
    "stash sessions --project shop --status needs_you --json",
)
_VERBS = {
    "ls": "list them, last event first (the usual)",
    "show": "read one here",
    "open": "open one in the browser",
    "tail": "the last events; with -f also those that come",
    "export": "its events as JSON lines, or as markdown",
}


def arguments(parser: ArgumentParser) -> None:
    from stash_client.cli.sessions import ls

    ls.arguments(parser)
    # Without a name of its own argparse would format one, which loads half of the library.
    verbs: _SubParsersAction[Any] = parser.add_subparsers(
        dest="verb", metavar="ls | show | open | tail | export", prog=parser.prog
    )
    for verb, text in _VERBS.items():
        _module(verb).arguments(verbs.add_parser(verb, help=text, description=text))


def run(chosen: Namespace, out: Output) -> None:
    _module(chosen.verb or "ls").run(chosen, out)


def _module(verb: str) -> Any:
    return import_module(f"stash_client.cli.sessions.{verb}")
