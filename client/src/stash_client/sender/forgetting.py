"""What a person wants gone before it is sent. A request is a file, so that a running sender obeys it too."""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Optional

from stash_client import home
from stash_client.outbox import Frame, Outbox


@dataclass(frozen=True)
class Forget:
    """Events of a session and its subagents from ``since`` to ``until``, seconds since 1970."""

    harness: str
    native_id: str
    since: float
    until: float

    def covers(self, frame: Frame) -> bool:
        harness, native_id = frame.key
        ours = harness == self.harness and (native_id + "/").startswith(self.native_id + "/")
        return ours and self.since <= _seconds(frame.at, self.since) <= self.until


def folder() -> Path:
    return home.folder() / "forget"


def ask(forget: Forget) -> Path:
    """Raises OSError."""
    path = folder() / f"{time.time_ns()}-{os.getpid()}"
    home.write_private(path, json.dumps(asdict(forget)).encode())
    return path


def asked() -> list[tuple[Path, Forget]]:
    found = []
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder())):
            with contextlib.suppress(OSError, ValueError, TypeError):
                found.append((folder() / name, Forget(**json.loads((folder() / name).read_text()))))
    return found


def obey(outbox: Outbox, requests: list[tuple[Path, Forget]]) -> None:
    """Take it out of all that waits, what is under way excepted: that is waited for, and the server must be asked.

    The inbox must have been emptied with the same requests before. Raises OSError; then it is to be done again.
    """

    def keep(frame: Frame) -> Optional[Frame]:
        return None if any(forget.covers(frame) for _, forget in requests) else frame

    for box in outbox.boxes.values():
        for queue in box.queues:
            queue.rewrite(keep, lent_too=True)
        for path, frame, _ in box.refused:
            if keep(frame) is None:
                path.unlink()
    for path, _ in requests:
        path.unlink()


def seconds_of(frame: Frame) -> float:
    """Since 1970; 0 where it does not tell."""
    return _seconds(frame.at, 0)


def _seconds(text: str, otherwise: float) -> float:
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return otherwise
    return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
