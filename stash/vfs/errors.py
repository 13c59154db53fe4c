"""What a command says when it cannot."""

from __future__ import annotations


class Failure(Exception):
    """Ends one command: ``message`` goes to its stderr (its name in front), ``status`` is its exit code."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.message, self.status = message, status


class GrammarError(Exception):
    """The line is no line of this shell: nothing of it runs."""
