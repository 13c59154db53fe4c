"""When the outbox is full: tool output and diffs go first, then tool calls, then the rest, prompts last."""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Optional

from stash_client import home
from stash_client.events import Note, to_wire
from stash_client.outbox.frames import Frame
from stash_client.outbox.queue import Queue
from stash_client.privacy import scrub

NOTE = "spool_full"
_LONG = 512
_BIG_FIELDS = ("output", "diff")
_SPARED = ("session_start", "session_end", "prompt", "note")


class Dropped:
    """What was left out of which session: ``outputs`` of tools, or whole events by their kind."""

    def __init__(self) -> None:
        self.by_session: dict[tuple[str, str, str], Counter[str]] = {}
        self._example: dict[tuple[str, str, str], Frame] = {}

    def count(self, frame: Frame, what: str) -> None:
        key = (frame.server, *frame.key)
        self.by_session.setdefault(key, Counter())[what] += 1
        self._example[key] = frame

    def notes(self) -> list[Frame]:
        """One for each session that lost something."""
        return [_note(self._example[key], counts) for key, counts in self.by_session.items()]

    def add_to(self, path: Path) -> None:
        """The totals since ever, for ``stash spool``. Raises OSError."""
        total = Counter(dropped_so_far(path))
        for counts in self.by_session.values():
            total.update(counts)
        if self.by_session:
            home.write_private(path, json.dumps(total).encode())


def dropped_so_far(path: Path) -> dict[str, int]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return {str(what): int(count) for what, count in said.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def make_room(queues: Sequence[Queue], enough: Callable[[], bool], dropped: Dropped) -> None:
    """Drop in steps, the oldest first in each, until there is enough room. Raises OSError."""
    for step in (_without_output, _without_tool_calls, _only_prompts, _nothing):
        for queue in queues:
            if enough():
                return
            queue.rewrite(lambda frame, step=step: step(frame, dropped), enough=enough)  # type: ignore[misc]


def _without_output(frame: Frame, dropped: Dropped) -> Optional[Frame]:
    if frame.kind == "activity":
        return None
    if frame.kind != "tool_call":
        return frame
    big = [name for name in _BIG_FIELDS if len(str(frame.event.get(name) or "")) > 64]
    event: Mapping[str, Any] = {key: value for key, value in frame.event.items() if key not in big}
    if len(json.dumps(frame.event.get("input"))) > _LONG:
        event = {**event, "input": None}
        big.append("input")
    if not big:
        return frame
    dropped.count(frame, "outputs")
    return Frame(frame.server, frame.place, frame.session, event, cut=True)


def _without_tool_calls(frame: Frame, dropped: Dropped) -> Optional[Frame]:
    return _left_out(frame, dropped) if frame.kind in ("tool_call", "activity", "thinking") else frame


def _only_prompts(frame: Frame, dropped: Dropped) -> Optional[Frame]:
    return frame if frame.kind in _SPARED else _left_out(frame, dropped)


def _nothing(frame: Frame, dropped: Dropped) -> Optional[Frame]:
    return frame if frame.event.get("name") == NOTE else _left_out(frame, dropped)


def _left_out(frame: Frame, dropped: Dropped) -> Optional[Frame]:
    dropped.count(frame, frame.kind)
    return None


def _note(frame: Frame, counts: Mapping[str, int]) -> Frame:
    what = ", ".join(f"{count} {name.replace('_', ' ')}{'s' if count > 1 and name != 'outputs' else ''}"
                     for name, count in sorted(counts.items()))  # fmt: skip
    now = time.time_ns()
    note = Note(
        uid=str(uuid.uuid4()),
        n=now,
        occurred_at=datetime.fromtimestamp(now / 1e9, timezone.utc).isoformat(),
        name=NOTE,
        text=f"Left out because too much was waiting on the machine to be sent: {what}.",
    )
    return Frame(frame.server, frame.place, frame.session, to_wire(scrub(note).value))
