"""What can become of a request besides an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional


class Unreachable(Exception):
    """No answer, or one that says "later" (429, 5xx): try again. ``after``: seconds the server asked to wait, or 0."""

    def __init__(self, detail: str, *, after: float = 0) -> None:
        super().__init__(detail)
        self.after = after


class Refused(Exception):
    """The server understood and said no; ``problem`` is its RFC 9457 document."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or problem.get("error_description") or f"HTTP {status}")
        self.status, self.problem = status, problem

    @property
    def is_ours(self) -> bool:
        """Whether Stash said it, not something on the way there."""
        return str(self.problem.get("type", "")).startswith("urn:stash:problem:")

    @property
    def code(self) -> str:
        return str(self.problem.get("code") or "refused")


class NoAccount(Exception):
    """This machine is not signed in (to the server of that label, where one was named)."""

    def __init__(self, label: Optional[str] = None) -> None:
        super().__init__(f"this machine is not signed in{f' to {label!r}' if label else ''}; run: stash signin")
        self.label = label


class Ambiguous(Exception):
    """A short id that fits several sessions."""

    def __init__(self, given: str, candidates: Sequence[str]) -> None:
        super().__init__(f"{given!r} fits {len(candidates)} sessions")
        self.given, self.candidates = given, candidates
