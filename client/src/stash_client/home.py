"""The folder where this machine keeps what Stash needs here; everything in it is for this person's eyes only."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def folder() -> Path:
    """``$STASH_HOME``, else the platform's place for a person's own settings. Not made by looking."""
    if told := os.environ.get("STASH_HOME"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "stash"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "stash"


def of_person() -> str:
    """The home of whoever runs this, where the system tells; "" elsewhere."""
    found = os.path.expanduser("~")
    return found if os.path.isabs(found) else ""


def made(*parts: str) -> Path:
    """A folder below, made if need be; ``mkdir`` would leave the folders above it open to others."""
    path = folder()
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in parts:
        path = path / part
        path.mkdir(exist_ok=True, mode=0o700)
    return path


def make_private(path: Path) -> None:
    """Made if need be, and so are the folders above it; none of the new ones open to others. Raises OSError."""
    if not path.is_dir():
        make_private(path.parent)
        path.mkdir(exist_ok=True, mode=0o700)


def write_private(path: Path, data: bytes) -> None:
    """Written whole or not at all, readable by this person alone. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    os.replace(partial, path)
