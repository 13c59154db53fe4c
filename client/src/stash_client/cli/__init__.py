"""The ``stash`` command. A command's module is imported only when it runs: ``stash`` must start at once."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from stash_client import __version__
from stash_client.cli.commands import COMMANDS, GROUPS, Command
from stash_client.cli.output import INTERRUPTED, NOT_ALLOWED, NOT_FOUND, UNREACHABLE, USAGE, Failed, Output


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    name = next((word for word in words if not word.startswith("-")), "")
    if name not in COMMANDS:
        return _about(words, name)
    words.remove(name)
    command = COMMANDS[name]
    module = import_module(command.module)
    parser = _parser(name, command)
    module.arguments(parser)
    chosen = parser.parse_args(words)
    out = Output(as_json=chosen.json, yes=chosen.yes)
    try:
        return module.run(chosen, out) or 0
    except Failed as failure:
        return out.fail(failure)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except Exception as fault:
        return out.fail(_failure_of(fault))


def _parser(name: str, command: Command) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"stash {name}", description=command.help)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout, errors as JSON on stderr")
    parser.add_argument("--yes", "-y", action="store_true", help="answer every question with yes")
    return parser


def _failure_of(fault: Exception) -> Failed:
    """Refusals and dead lines in words; anything else is a fault of ours and goes on."""
    from stash_client import api

    if isinstance(fault, api.Unreachable):
        return Failed(f"The server does not answer: {fault}.", code="unreachable", exit_code=UNREACHABLE)
    if isinstance(fault, api.Refused):
        codes = {401: NOT_ALLOWED, 403: NOT_ALLOWED, 404: NOT_FOUND}
        code = str(fault.problem.get("code") or "refused")
        return Failed(str(fault), code=code, exit_code=codes.get(fault.status, 1))
    raise fault


def _about(words: Sequence[str], name: str) -> int:
    if "--version" in words:
        print(__version__)
        return 0
    if name and name != "help":
        print(f"stash has no command {name!r}. Run: stash help", file=sys.stderr)
        return USAGE
    print("usage: stash COMMAND [--json] [--yes] ...", *_listing(), sep="\n")
    return 0


def _listing() -> list[str]:
    lines = []
    for group in GROUPS:
        lines += ["", group]
        lines += [f"  {name:<12} {c.help}" for name, c in COMMANDS.items() if c.group == group and not c.hidden]
    return lines
