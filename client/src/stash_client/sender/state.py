"""How sending to each server goes: ``state.json`` beside its queue, written by the sender, read by ``stash status``."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from stash_client import home


@dataclass(frozen=True)
class State:
    """Times are seconds since 1970, 0 for never.

    ``paused``: why nothing is sent ("signed_out", "not_allowed"), "" while it is; ``account``: mark of the account it
    was paused with, so that another key ends it. ``error``: of the last attempt, "" after a good one. ``not_before``:
    the server asked not to be called earlier. ``parked_with``, ``parked_at``: which agreements parked frames were last
    tried with, and when. ``message``: what the server wants its person to read.
    """

    paused: str = ""
    account: str = ""
    detail: str = ""
    error: str = ""
    error_at: float = 0
    sent_at: float = 0
    not_before: float = 0
    parked_with: str = ""
    parked_at: float = 0
    message: str = ""


class Kept:
    """One server's state, changed by one thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "state.json"
        self.now = read(folder)

    def change(self, **fields: object) -> None:
        """A state that cannot be written is only not seen by others."""
        changed = replace(self.now, **fields)  # type: ignore[arg-type]
        if changed != self.now:
            self.now = changed
            with contextlib.suppress(OSError):
                home.write_private(self._path, json.dumps(asdict(changed)).encode())

    def failed(self, why: str, *, after: float = 0) -> None:
        now = time.time()
        self.change(error=why[:500], error_at=now, not_before=now + after if after else 0)

    def sent(self, message: str) -> None:
        self.change(paused="", detail="", error="", not_before=0, sent_at=time.time(), message=message[:500])


def read(folder: Path) -> State:
    try:
        return State(**json.loads((folder / "state.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return State()
