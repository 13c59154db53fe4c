"""The files of a queue: ``<number>-<generation>.frames``. Numbers only grow; a rewritten file gets the next generation.

Where two generations of a number exist, the writer was killed before it removed the older: the newer one counts.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from stash_client.outbox.frames import Frame, encode, scan

_NAME = re.compile(r"(\d{1,18})-(\d{1,9})\.frames")


@dataclass(frozen=True)
class Segment:
    path: Path
    number: int
    generation: int = 0

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    @property
    def is_whole(self) -> bool:
        """Whether its last line has an end: something may be appended to it."""
        try:
            with self.path.open("rb") as file:
                file.seek(-1, os.SEEK_END)
                return file.read(1) == b"\n"
        except OSError:
            return False

    def frames(self, start: int, end: int) -> Iterator[tuple[int, int, Optional[Frame]]]:
        """As ``frames.scan``; nothing where the file is gone."""
        with contextlib.suppress(FileNotFoundError), self.path.open("rb") as file:
            yield from scan(file, start, end)

    def remove(self) -> None:
        """Windows refuses while somebody reads; the next start of a sender removes it then."""
        with contextlib.suppress(OSError):
            self.path.unlink()


def segment(folder: Path, number: int, generation: int = 0) -> Segment:
    return Segment(folder / f"{number:012d}-{generation}.frames", number, generation)


def found(folder: Path) -> tuple[list[Segment], list[Segment]]:
    """(the segments in order, what a killed writer left behind)."""
    newest: dict[int, Segment] = {}
    stale: list[Segment] = []
    for name in sorted(_names(folder)):
        if match := _NAME.fullmatch(name):
            one = Segment(folder / name, int(match[1]), int(match[2]))
            other = newest.get(one.number)
            older, newer = sorted([other, one], key=lambda s: s.generation) if other else (None, one)
            newest[one.number] = newer
            stale += [older] if older else []
    return [newest[number] for number in sorted(newest)], stale


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def rewritten(old: Segment, frames: Iterable[Frame]) -> Segment:
    """The next generation, holding these frames; the old one is gone then. Raises OSError, then the old one stands."""
    new = segment(old.path.parent, old.number, old.generation + 1)
    partial = new.path.with_name(f".{new.path.name}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(encode(frame) for frame in frames)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, new.path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    old.remove()
    return new


def sync_folder(folder: Path) -> None:
    """Make the names of new files last; not every system can open a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
