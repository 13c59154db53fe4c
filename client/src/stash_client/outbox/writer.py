"""Appending to a segment: whole lines on the disk, or none."""

from __future__ import annotations

import contextlib
import os
from typing import Optional

from stash_client.outbox.segments import Segment, sync_folder


class Writer:
    """One open segment. ``size``: bytes that are whole and on the disk."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        is_new = not segment.path.exists()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file: Optional[int] = os.open(segment.path, flags, 0o600)
        self.size = os.fstat(self._file).st_size
        if is_new:
            sync_folder(segment.path.parent)

    def append(self, data: bytes) -> None:
        """Raises OSError; what was written in part is taken back, and nothing may be appended any more."""
        if self._file is None:
            raise OSError("this segment is closed")
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
            os.fsync(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self.size)
            self.close()
            raise
        self.size += len(data)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @property
    def is_open(self) -> bool:
        return self._file is not None
