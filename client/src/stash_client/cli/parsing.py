"""A parser for each command, made from its module when it is needed."""

from __future__ import annotations

import argparse
import os
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

from stash_client.cli.commands import COMMANDS
from stash_client.cli.output import USAGE, Failed

GLOBAL = (
    ("--json", "one JSON document on stdout, errors as JSON on stderr"),
    ("--yes, -y", "answer every question with yes"),
    ("--server LABEL", "the server that is meant, where this machine is signed in to several"),
)


class Parser(argparse.ArgumentParser):
    """Says what is wrong the way every command does; never guesses from the beginning of an option."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _formatter)
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        usage = " ".join(self.format_usage().split())
        raise Failed(message[:1].upper() + message[1:] + ".", hint=usage, code="usage", exit_code=USAGE)


@cache
def _width() -> int:
    """Told to argparse, which would ask anew for every argument, and load half of the library to do so."""
    try:
        return max(int(os.environ.get("COLUMNS") or os.get_terminal_size().columns) - 2, 40)
    except (OSError, ValueError):
        return 100


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, width=_width())


def parser_of(name: str) -> argparse.ArgumentParser:
    """Raises KeyError for a command there is not."""
    command = COMMANDS[name]
    module: Any = import_module(command.module)
    parser = Parser(prog=f"stash {name}", description=_sentence(command.help), epilog=_epilog(module))
    module.arguments(parser)
    return parser


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _epilog(module: Any) -> str:
    width = max(len(flag) for flag, _ in GLOBAL) + 2
    lines = ["for every command:", *(f"  {flag:<{width}}{what}" for flag, what in GLOBAL)]
    examples = getattr(module, "EXAMPLES", ())
    return "\n".join([*lines, *(["", "examples:", *(f"  {one}" for one in examples)] if examples else [])])
