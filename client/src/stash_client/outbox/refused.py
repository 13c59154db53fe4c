"""Frames the server will never take, each in a file with the reason; clean like all that left the inbox."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stash_client import home
from stash_client.outbox.frames import Frame

MOST = 1000


class Refused:
    """``folder``: ``<uid>.json`` files, so that one set aside twice is kept once. Beyond ``MOST`` the oldest go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, frame: Frame, problem: Mapping[str, Any]) -> None:
        """Raises OSError."""
        name = "".join(c for c in frame.uid if c.isalnum() or c == "-")[:64] or "without-uid"
        said = json.dumps({"problem": dict(problem), "frame": asdict(frame)})
        home.write_private(self.folder / f"{name}.json", said.encode())
        self._thin_out()

    def __iter__(self) -> Iterator[tuple[Path, Frame, Mapping[str, Any]]]:
        for path in self._files():
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                said = json.loads(path.read_text(encoding="utf-8"))
                yield path, Frame(**said["frame"]), said["problem"]

    def _files(self) -> list[Path]:
        """Oldest first."""
        with contextlib.suppress(OSError):
            files = [path for path in self.folder.iterdir() if not path.name.startswith(".")]
            return sorted(files, key=lambda path: path.stat().st_mtime_ns)
        return []

    def _thin_out(self) -> None:
        files = self._files()
        for path in files[: max(0, len(files) - MOST)]:
            path.unlink()
