"""What a check can find."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from stash_client.standing import Standing

TROUBLE, NOTE = "trouble", "note"


@dataclass(frozen=True)
class Finding:
    """``code``: for programs; ``what``: in words; ``evidence``: what was seen; ``fix``: what a person can do.

    ``mend``: does it and says what it did, where that is safe without a person; it may raise OSError. ``weight``: a
    note is worth knowing, trouble keeps something from working.
    """

    code: str
    what: str
    evidence: str = ""
    fix: str = ""
    weight: str = TROUBLE
    mend: Callable[[], str] | None = field(default=None, compare=False)


Check = Callable[[Standing], Iterable[Finding]]
