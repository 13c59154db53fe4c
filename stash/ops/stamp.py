"""Remembers what an installation was prepared for, so that a second start need not wait to be told that nothing is due.

Without Django: `manage.py serve` asks before anything is loaded. Only a hint: preparing is idempotent and always done,
before the web processes start when the hint is missing or old, beside them otherwise.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

BASE = Path(__file__).resolve().parents[2]
_NAME = "prepared.stamp"
_DECIDE = ("DATABASE_URL", "STASH_STATIC", "STASH_ROLE")


def is_current(data: Path) -> bool:
    path = data / _NAME
    return path.exists() and path.read_text() == _fingerprint()


def write(data: Path) -> None:
    (data / _NAME).write_text(_fingerprint())


def _fingerprint() -> str:
    state = hashlib.sha256("\n".join(os.environ.get(name, "") for name in _DECIDE).encode())
    for path in sorted(_inputs()):
        facts = path.stat()
        state.update(f"{path} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return state.hexdigest()


def _inputs() -> Iterator[Path]:
    yield BASE / "requirements.txt"
    yield from BASE.glob("*/migrations/*.py")
    yield from BASE.glob("stash/*/migrations/*.py")
    yield BASE / "client" / "pyproject.toml"
    yield from (BASE / "client" / "src").rglob("*.py")
    yield from (path for path in (BASE / "static").rglob("*") if path.is_file())
