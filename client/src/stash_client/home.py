"""The folder where this machine keeps what Stash needs here; everything in it is for this person's eyes only."""

from __future__ import annotations

import contextlib
import os
import stat
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
    _close_to_others(path)
    for part in parts:
        path = path / part
        path.mkdir(exist_ok=True, mode=0o700)
    return path


def make_below(path: Path) -> None:
    """That folder of ours and those above it, where they are missing; all for this person alone. Raises OSError."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True, mode=0o700)


def _close_to_others(path: Path) -> None:
    """A folder that was there before us, or that a careless copy left open; not one that is everybody's, as /tmp."""
    with contextlib.suppress(OSError):
        mode = path.stat().st_mode
        if sys.platform != "win32" and mode & 0o077 and not mode & stat.S_ISVTX:
            path.chmod(0o700)


def write_private(path: Path, data: bytes) -> None:
    """Written whole or not at all, readable by this person alone. Raises OSError."""
    make_below(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(partial, path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
