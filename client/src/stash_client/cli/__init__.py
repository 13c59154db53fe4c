"""The ``stash`` command. A command's module is imported only when it runs: ``stash`` must start at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from stash_client import __version__
from stash_client.cli.commands import COMMANDS
from stash_client.cli.invitation import invite
from stash_client.cli.output import INTERRUPTED, USAGE, Failed, Output
from stash_client.cli.words import Asked


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code. Nothing but a fault of ours ends in a traceback."""
    asked = Asked.from_words(sys.argv[1:] if argv is None else argv)
    out = Output(as_json=asked.json, yes=asked.yes)
    try:
        code = _checked(asked, out)
        sys.stdout.flush()
    except KeyboardInterrupt:
        out.leave()
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read has read enough. Python would complain when it empties its buffer at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    return code


def _checked(asked: Asked, out: Output) -> int:
    try:
        return _run(asked, out)
    except SystemExit as left:  # argparse, after --help
        return left.code if isinstance(left.code, int) else USAGE
    except Failed as failure:
        return out.fail(failure)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as fault:
        from stash_client.cli.failures import failure_of

        told = failure_of(fault)
        if told is None:
            raise
        return out.fail(told)


def _run(asked: Asked, out: Output) -> int:
    if asked.problem:
        raise Failed(asked.problem, hint="Run: stash help", code="usage", exit_code=USAGE)
    if asked.version:
        out.result({"version": __version__}, __version__)
        return 0
    if asked.server:
        _choose(asked.server)
    if not asked.command:
        return _run(Asked(command="help", json=asked.json, yes=asked.yes), out)
    if asked.command not in COMMANDS:
        raise _unknown(asked.command)
    from stash_client.cli.parsing import parser_of

    parser = parser_of(asked.command)
    module: Any = import_module(COMMANDS[asked.command].module)
    invite(asked.command, out)
    return module.run(parser.parse_args(asked.rest), out) or 0


def _choose(label: str) -> None:
    from stash_client import accounts

    known = accounts.load()
    if known.named(label) is None:
        labels = ", ".join(account.label for account in known.all) or "none"
        raise Failed(f"This machine is not signed in to {label!r}.", hint=f"Signed in to: {labels}.", exit_code=USAGE)
    os.environ[accounts.CHOSEN] = label


def _unknown(name: str) -> Failed:
    from difflib import get_close_matches

    near = get_close_matches(name, [known for known, c in COMMANDS.items() if not c.hidden], n=1)
    hint = f"Did you mean: stash {near[0]}" if near else "Run: stash help"
    return Failed(f"stash has no command {name!r}.", hint=hint, code="no_such_command", exit_code=USAGE)
