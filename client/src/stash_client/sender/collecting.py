"""From the inbox to the outbox. Many records share one write to the disk; a record goes when its frames are on it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Optional

from stash_client import inbox, recent
from stash_client.capture import Capture
from stash_client.outbox import Frame, Outbox
from stash_client.sender import forgetting

_MOST_RECORDS = 500
_MOST_FRAMES = 2000
_MOST_BYTES = 4 * 1024 * 1024


class Collector:
    """Killed between writing frames and deleting records, the next one finds their uids at the end of the outbox."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._capture = Capture()
        self._written: Optional[set[str]] = None

    def collect(self, *, until: float = float("inf"), tell: Callable[[], None] = lambda: None) -> int:
        """Empty the inbox, as far as ``until`` (monotonic) allows; returns how many records are done.

        ``tell``: called whenever something new may be sent. Raises OSError when the disk takes no more; nothing is
        lost then: the records stay.
        """
        done = 0
        waiting = list(inbox.records())
        if waiting and self._written is None:
            self._written = self._newest_uids()
        while waiting and time.monotonic() < until:
            try:
                taken = self._group(waiting)
            except OSError:
                self._written = None  # some of the group may be on the disk
                raise
            done += taken
            del waiting[:taken]
            tell()
        if not waiting:
            self._written = set()
        return done

    def _newest_uids(self) -> set[str]:
        queues = [queue for box in self._outbox.boxes.values() for queue in box.queues]
        return {uid for queue in queues for uid in queue.newest_uids()}

    def _group(self, waiting: list[Path]) -> int:
        """How many of these, from the first on, are done now."""
        frames: list[Frame] = []
        seen: list[recent.Recent] = []
        paths: list[Path] = []
        size = done = 0
        for path in waiting[:_MOST_RECORDS]:
            done += 1
            record = _read(path)
            if record is None:
                continue
            captured = self._capture.captured(record)
            paths.append(path)
            frames += captured.frames
            seen += captured.recent
            size += len(record.payload)
            if size > _MOST_BYTES or len(frames) > _MOST_FRAMES:
                break
        self._keep(frames)
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self._outbox.publish()
        if seen:
            recent.note(seen)
        return done

    def _keep(self, frames: list[Frame]) -> None:
        """On the disk when it returns. Raises OSError."""
        requests = forgetting.asked()
        written = self._written or set()
        new = [
            frame
            for frame in frames
            if frame.uid not in written and not any(forget.covers(frame) for _, forget in requests)
        ]
        if new:
            self._outbox.append(new)
        self._capture.heads.save()


def _read(path: Path) -> Optional[inbox.Record]:
    """None where there is nothing to read any more; what is no record at all is put out of the way. Raises OSError."""
    try:
        return inbox.read(path)
    except FileNotFoundError:
        return None
    except (ValueError, IsADirectoryError, PermissionError) as fault:
        inbox.set_aside(path, f"{path.name}: {fault}")
        return None
