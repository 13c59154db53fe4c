"""Which files an import has finished with: one line of JSON for each, added when the server has all of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from stash_client import home
from stash_client.history.finding import Found

VERSION = 1
"""Raised when readers learn to see more in the same files: then everything is looked at again."""


class Ledger:
    """Safe to kill at any line: what is not noted is sent again, and the server knows it already."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or home.folder() / "imported.jsonl"
        self._done: dict[str, tuple[int, int, frozenset[str]]] = {}
        self._load()

    def _load(self) -> None:
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        for line in lines:
            try:
                entry = json.loads(line)
                if entry["v"] == VERSION:
                    self._note(str(entry["path"]), int(entry["size"]), int(entry["mtime_ns"]), entry["places"])
            except (ValueError, TypeError, KeyError):
                continue  # a line cut by a crash: that file is sent again

    def _note(self, path: str, size: int, mtime_ns: int, places: Iterable[str]) -> None:
        known = self._done.get(path)
        before = known[2] if known and known[:2] == (size, mtime_ns) else frozenset()
        self._done[path] = (size, mtime_ns, before.union(places))

    def has(self, found: Found, place: str) -> bool:
        """Whether the file is as it was when all that ran in ``place`` had been sent."""
        size, mtime_ns, places = self._done.get(found.path, (0, 0, frozenset()))
        return (size, mtime_ns) == (found.size, found.mtime_ns) and place in places

    def finished(self, found: Found, places: Iterable[str]) -> None:
        """Raises OSError."""
        sent = sorted(places)
        facts = {"v": VERSION, "path": found.path, "size": found.size, "mtime_ns": found.mtime_ns, "places": sent}
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(json.dumps(facts).encode() + b"\n")
        self._note(found.path, found.size, found.mtime_ns, sent)
