"""Questions with more answers than yes and no. Where nobody can answer, nothing is agreed to."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from stash_client.cli.output import Output


def can_ask(out: Output) -> bool:
    return not out.as_json and sys.stdin.isatty() and sys.stdout.isatty()


def choose(out: Output, question: str, answers: Sequence[tuple[str, str]], *, default: str) -> str:
    """The key of the chosen answer, by its number; ``default`` for an empty line, and where nobody can answer."""
    if not can_ask(out):
        return default
    keys = [key for key, _ in answers]
    shown = keys.index(default) + 1
    out.say(out.styled(question, "bold"), *(f"  {i}  {words}" for i, (_, words) in enumerate(answers, 1)))
    while True:
        try:
            said = input(f"Choose 1-{len(answers)} [{shown}]: ").strip()
        except EOFError:
            out.say("")
            return default
        if not said:
            return default
        if said.isdigit() and 1 <= int(said) <= len(answers):
            return keys[int(said) - 1]
        out.say(f"Please type a number from 1 to {len(answers)}.")
