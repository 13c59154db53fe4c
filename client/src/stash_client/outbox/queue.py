"""What waits for one server, in the order it was written. One process writes it; others may look."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from stash_client import home
from stash_client.outbox import segments
from stash_client.outbox.frames import Frame
from stash_client.outbox.segments import Segment
from stash_client.outbox.writer import Writer

SEGMENT_BYTES = 4 * 1024 * 1024
_KEPT_OPEN = 64 * 1024
Change = Callable[[Frame], Optional[Frame]]


@dataclass(frozen=True)
class Entry:
    """A frame and where it stands: segment number, offset, offset after it."""

    frame: Frame
    number: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


class Queue:
    """``waiting`` lends frames, ``finish`` takes them back as done; what is not finished is lent again.

    The cursor file says up to where all is done, and what beyond it. It may be old after a power cut: then frames are
    sent again, which the server knows by their uid. Safe between threads.
    """

    def __init__(self, folder: Path, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        self.folder, self._segment_bytes = folder, segment_bytes
        self._free = threading.Condition(threading.RLock())
        self._lent: set[int] = set()
        self._wanted = False
        self._closed = 0
        self._writer: Optional[Writer] = None
        self._segments, self._stale = segments.found(folder)
        self._visible = {segment.number: segment.size for segment in self._segments}
        self._number, self._offset, self._done = self._cursor()
        self.damaged = 0

    def _cursor(self) -> tuple[int, int, dict[tuple[int, int], int]]:
        try:
            said = json.loads((self.folder / "cursor.json").read_text(encoding="utf-8"))
            number, generation, offset = int(said["segment"]), int(said["generation"]), int(said["offset"])
            done = {(int(n), int(g), int(start)): int(end) for n, g, start, end in said["done"]}
        except (OSError, ValueError, TypeError, KeyError):
            return 0, 0, {}
        now = {segment.number: segment.generation for segment in self._segments}
        if now.get(number, generation) != generation:
            offset = 0  # rewritten since: it holds what is not done, and nothing else
        return number, offset, {(n, start): end for (n, g, start), end in done.items() if now.get(n) == g}

    # Writing

    def append(self, lines: Sequence[bytes]) -> None:
        """Encoded frames: on the disk when it returns, lent to nobody before ``publish``.

        Raises OSError, then none of them is kept.
        """
        if not lines:
            return
        data = b"".join(lines)
        with self._free:
            writer = self._open_writer()
            try:
                writer.append(data)
            except OSError:
                self._writer = None
                raise
            if writer.size >= self._segment_bytes:
                self._close_writer()

    def publish(self) -> None:
        """What was appended may be sent: nothing is left that could append it a second time."""
        with self._free:
            self._visible = {segment.number: segment.size for segment in self._segments}

    def _open_writer(self) -> Writer:
        if self._writer is None or not self._writer.is_open:
            home.make_below(self.folder)
            for stale in self._stale:
                stale.remove()
            self._stale = []
            last = self._segments[-1] if self._segments else None
            if last is None or not self._takes_more(last):
                last = segments.segment(self.folder, max(self._number, self.last, self._closed) + 1)
                self._segments.append(last)
            self._writer = Writer(last)
        return self._writer

    def _takes_more(self, last: Segment) -> bool:
        behind = last.number < self._number or (last.number == self._number and last.size < self._offset)
        full = last.size >= self._segment_bytes or last.number <= self._closed
        return last.is_whole and not behind and not full

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    # Sending

    def waiting(
        self, *, most: int, most_bytes: int, only: Optional[Callable[[Frame], bool]] = None, until: int = 2**62
    ) -> list[Entry]:
        """The next frames, at least one where there is one; ``until``: of segments up to that number."""
        with self._free:
            self._free.wait_for(lambda: not self._wanted)
            lent: list[Entry] = []
            size = 0
            for entry in self._entries():
                if entry.number > until or len(lent) >= most or (lent and size + entry.size > most_bytes):
                    break
                if only is None or only(entry.frame):
                    lent.append(entry)
                    size += entry.size
            self._lent = {entry.number for entry in lent}
            if not lent:
                self._advance()
            return lent

    def finish(self, entries: Iterable[Entry]) -> None:
        """These are stored, set aside or dropped. A cursor that cannot be written is written the next time."""
        with self._free:
            for entry in entries:
                self._done[entry.number, entry.start] = entry.end
            self._advance()

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits to change what is lent."""
        return self._wanted

    def release(self) -> None:
        """Nothing is under way any more; what was lent and not finished will be lent again."""
        with self._free:
            self._lent = set()
            self._free.notify_all()

    def _entries(self) -> Iterator[Entry]:
        """What is not done, in order; damage counts as done."""
        for segment in list(self._segments):
            if segment.number < self._number:
                continue
            start = self._offset if segment.number == self._number else 0
            for at, end, frame in segment.frames(start, self._visible.get(segment.number, 0)):
                if (segment.number, at) in self._done:
                    continue
                if frame is None:
                    self.damaged += 1
                    self._done[segment.number, at] = end
                    continue
                yield Entry(frame, segment.number, at, end)

    def _advance(self) -> None:
        before = (self._number, self._offset, len(self._done))
        while self._segments:
            first = self._segments[0]
            if first.number < self._number:
                self._forget_segment(first)
                continue
            if first.number > self._number:
                self._number, self._offset = first.number, 0
            while (end := self._done.pop((first.number, self._offset), None)) is not None:
                self._offset = end
            if self._offset < self._visible.get(first.number, 0) or self._is_kept_open(first):
                break
            self._forget_segment(first)
        if self._segments or (self._number, self._offset, len(self._done)) != before:
            self._write_cursor()

    def _is_kept_open(self, segment: Segment) -> bool:
        """The file written to stays while it is small: making one for every event would cost two syncs more."""
        writer = self._writer
        if writer is None or writer.segment is not segment:
            return segment.size > self._offset
        return writer.size > self._offset or writer.size < _KEPT_OPEN

    def _forget_segment(self, segment: Segment) -> None:
        if self._writer is not None and self._writer.segment is segment:
            self._close_writer()
        self._segments.remove(segment)
        self._visible.pop(segment.number, None)
        segment.remove()

    def _write_cursor(self) -> None:
        generations = {segment.number: segment.generation for segment in self._segments}
        said = {
            "segment": self._number,
            "generation": generations.get(self._number, 0),
            "offset": self._offset,
            "done": [[n, generations.get(n, 0), start, end] for (n, start), end in sorted(self._done.items())],
        }
        try:
            home.write_private(self.folder / "cursor.json", json.dumps(said).encode())
        except OSError:
            return  # sent again after a crash, and known by its uid

    def close(self) -> None:
        """At the end of a process: a file of which everything is done goes."""
        with self._free:
            self._close_writer()
            self._lent = set()
            if self._segments:
                self._advance()

    # Looking and changing

    @property
    def size(self) -> int:
        """Bytes that wait."""
        with self._free:
            return sum(s.size for s in self._segments if s.number >= self._number) - (
                self._offset if any(s.number == self._number for s in self._segments) else 0
            )

    @property
    def is_empty(self) -> bool:
        with self._free:
            return next(self._entries(), None) is None

    @property
    def last(self) -> int:
        """Number of the newest segment."""
        return self._segments[-1].number if self._segments else 0

    def close_last(self) -> int:
        """What is written from now on goes to a newer segment. Returns the number of the last one before."""
        with self._free:
            self._close_writer()
            self._closed = self.last
            return self._closed

    def entries(self) -> list[Entry]:
        """All that waits. For looking; a big queue takes its size in memory."""
        with self._free:
            return list(self._entries())

    def look(self) -> Iterator[Frame]:
        """All that waits, one after the other: for whoever does not write here."""
        return (entry.frame for entry in self._entries())

    def newest_uids(self) -> set[str]:
        """Of the last segment: what a killed writer may still have in the inbox."""
        with self._free:
            found: set[str] = set()
            for segment in self._segments[-2:]:
                found.update(frame.uid for _, _, frame in segment.frames(0, segment.size) if frame)
            return found

    def rewrite(self, change: Change, *, enough: Callable[[], bool] = lambda: False, lent_too: bool = False) -> None:
        """Pass what waits through ``change`` (None: leave it out), oldest first, until ``enough``. Raises OSError.

        What is under way right now is passed over, or waited for with ``lent_too``.
        """
        with self._free:
            self._close_writer()
            if lent_too:
                self._wanted = True
                self._free.wait_for(lambda: not self._lent)
            try:
                for segment in [s for s in self._segments if s.number not in self._lent]:
                    if enough():
                        return
                    self._rewrite_segment(segment, change)
            finally:
                self._wanted = False
                self._free.notify_all()

    def _rewrite_segment(self, segment: Segment, change: Change) -> None:
        start = self._offset if segment.number == self._number else 0
        kept, changed = [], False
        for at, _, frame in segment.frames(start, segment.size):
            if frame is None or (segment.number, at) in self._done:
                continue
            new = change(frame)
            changed = changed or new is not frame
            kept += [new] if new is not None else []
        if not changed:
            return
        self._segments[self._segments.index(segment)] = new_one = segments.rewritten(segment, kept)
        self._visible[segment.number] = new_one.size
        self._done = {(n, at): end for (n, at), end in self._done.items() if n != segment.number}
        if segment.number == self._number:
            self._offset = 0
        self._write_cursor()
