"""What a command says: words for people on stdout, or one JSON document with ``--json``; trouble on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

DONE, FAILED, USAGE, NOT_ALLOWED, NOT_FOUND, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
"""Exit codes: documented in ``stash help exit-codes``."""

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Failed(Exception):
    """The command could not do it. ``detail``: what happened; ``hint``: what to do; ``code``: for programs."""

    def __init__(self, detail: str, *, hint: str = "", code: str = "failed", exit_code: int = FAILED) -> None:
        super().__init__(detail)
        self.detail, self.hint, self.code, self.exit_code = detail, hint, code, exit_code


class Output:
    """``as_json``: people's words are withheld and ``result`` prints. ``yes``: every question is answered yes."""

    def __init__(self, *, as_json: bool = False, yes: bool = False) -> None:
        self.as_json, self.yes = as_json, yes
        self.colours = sys.stdout.isatty() and not as_json and not os.environ.get("NO_COLOR")

    def say(self, *lines: str) -> None:
        if not self.as_json:
            print(*lines, sep="\n", flush=True)

    def result(self, data: Any, *lines: str) -> None:
        """The answer: ``data`` as one document, or ``lines`` for people. Once for each command."""
        if self.as_json:
            print(json.dumps(data, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None, default=str))
        elif lines:
            print(*lines, sep="\n")

    def aside(self, text: str) -> None:
        """Progress and remarks, never part of the answer."""
        if not self.as_json:
            print(text, file=sys.stderr, flush=True)

    def fail(self, failure: Failed) -> int:
        if self.as_json:
            problem = {"code": failure.code, "detail": failure.detail, "hint": failure.hint}
            print(json.dumps({key: value for key, value in problem.items() if value}), file=sys.stderr)
        else:
            print(failure.detail, *filter(None, [failure.hint]), sep="\n", file=sys.stderr)
        return failure.exit_code

    def ask(self, question: str, *, default: bool) -> bool:
        """Yes or no; ``default`` where nobody can answer."""
        if self.yes:
            return True
        if self.as_json or not sys.stdin.isatty():
            return default
        answer = input(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().lower()
        return answer.startswith("y") if answer else default

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colours else text

    def table(self, rows: Sequence[Sequence[str]], *, gap: str = "  ") -> list[str]:
        """Left-aligned columns; the last is as long as it is."""
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)] if rows else []
        return [gap.join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[-1]]).rstrip() for row in rows]
