"""One raw file per hook call, kept until the server has answered: the hook itself never waits for a network."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from stash_client import home

_MOST_BYTES = 64 * 1024 * 1024


def folder() -> Path:
    return home.made("inbox")


def put(harness: str, event: str, payload: bytes) -> Path:
    """Write the payload for this person's eyes only; whole or not at all. Its name says when and from where."""
    name = f"{time.time_ns()}-{os.getpid()}-{_plain(harness)}-{_plain(event)}"
    partial = folder() / f".{name}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(payload[:_MOST_BYTES])
    path = folder() / name
    os.replace(partial, path)
    return path


def records() -> Iterator[Path]:
    """Oldest first."""
    yield from sorted(path for path in folder().iterdir() if not path.name.startswith("."))


def facts(record: Path) -> tuple[int, str, str]:
    """(capture time in ns, harness, event) from the record's name. Raises ValueError for a file of somebody else."""
    when, _, harness, event = record.name.split("-", 3)
    return int(when), harness, event


def note_fault(text: str) -> None:
    """Keep the last fault for ``stash`` to show; there is nobody to tell from inside a hook."""
    with contextlib.suppress(OSError):
        (home.folder() / "fault.txt").write_text(text[-20_000:], encoding="utf-8", errors="replace")


def set_aside(record: Path, fault: str) -> None:
    """Keep a record that cannot be read under a name that is no record's, and what went wrong with it."""
    note_fault(fault)
    with contextlib.suppress(OSError):
        os.replace(record, record.with_name(f".unread-{record.name}"))


def _plain(text: str) -> str:
    """A part of a file name; ``-`` separates the parts, so it becomes ``_`` (harness names are canonicalised later)."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._") else "_" for c in text)[:60]
