"""Other people's files: read and written as they are, through links, whole or not at all, with a copy kept."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from pathlib import Path
from typing import Optional

from stash_client import home
from stash_client.wiring.edits import NotSure

_COPIES = 5


def real(path: Path) -> Path:
    """The file that a dotfile manager's link stands for."""
    return Path(os.path.realpath(path))


def read(path: Path) -> Optional[bytes]:
    """None where there is no file. Raises NotSure for what cannot be read, or is not meant to be written."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise NotSure("it is not a file")
        if not status.st_mode & stat.S_IWUSR:
            raise NotSure("it is read-only; whoever made it so manages it in another way")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotSure(f"it cannot be read ({error.strerror})") from None


def write(path: Path, data: bytes, *, executable: bool = False) -> tuple[str, ...]:
    """In one step, with the mode and owner it had; the folders made for it, innermost first. Raises OSError."""
    made = _make_folder(path.parent)
    partial = path.with_name(f".{path.name}.stash-{os.getpid()}")
    try:
        # Its own mode comes with _take_after: what is not for others must not be theirs to read even for a moment.
        mode = 0o600 if path.exists() else 0o755 if executable else 0o644
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _take_after(partial, path)
        os.replace(partial, path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    return made


def _take_after(partial: Path, path: Path) -> None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return
    os.chmod(partial, stat.S_IMODE(status.st_mode))
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(partial, status.st_uid, status.st_gid)


def _make_folder(folder: Path) -> tuple[str, ...]:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
    return tuple(map(str, missing))


def remove(path: Path, folders: tuple[str, ...]) -> None:
    """The file, and the folders made for it as far as nothing else is in them. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:
            return


def back_up(path: Path) -> Optional[Path]:
    """A copy in ``backups/``, for this person alone; the last few of each file stay. None where there is nothing."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", str(path)).strip("-")[-120:]
    folder = home.made("backups", name)
    copy = folder / f"{time.time_ns()}"
    home.write_private(copy, data)
    for old in sorted(folder.iterdir())[:-_COPIES]:
        with contextlib.suppress(OSError):
            old.unlink()
    return copy
