"""Hooks wake the sender without waiting for it, and without a crowd of them where many come at once.

Two files in the home folder: ``sender.pid`` is there while a sender runs, ``waking`` while one is being started. The
hook script does the same as ``wake``.

A sender calls ``arrived`` first and ``leaving`` before it looks for the last time: whatever a hook wrote before it saw
the pid file is seen by that look, and after it another sender is started.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from stash_client import home

START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from importlib import import_module
import_module("stash_client." + sys.argv.pop(1)).main()"""
"""For ``python -I -S -c``: argv is the folder of this package, a module of it, and that module's own arguments."""
_STARTING_SECONDS = 10
_SILENT_SECONDS = 300
"""A sender says every minute that it lives. After this its process id is somebody else's: ids come again."""


def library() -> str:
    """The folder this package was imported from: whatever is started must be of the same version."""
    return str(Path(__file__).resolve().parents[1])


def wake() -> None:
    """Start a sender that outlives this process, unless one lives or is being started."""
    heal()
    if (alive() and told_pid() != os.getpid()) or not _mine_to_start():
        return
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", START, library(), "sender"],
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        start_new_session=True,
        cwd=home.made(),
        env={**os.environ, "STASH_HOME": str(home.folder().absolute())},
    )
    # A program that goes on must not keep a dead sender in the list of processes: it would look alive.
    threading.Thread(target=process.wait, daemon=True).start()


def arrived() -> None:
    """This process is the sender now; hooks need start no other. Raises OSError."""
    home.write_private(_pid_file(), str(os.getpid()).encode() + b"\n")
    started()


def beat() -> None:
    """This process is the sender still; says so again where somebody took the file away."""
    with contextlib.suppress(OSError):
        if told_pid() == os.getpid():
            os.utime(_pid_file())
        else:
            home.write_private(_pid_file(), str(os.getpid()).encode() + b"\n")


def started() -> None:
    """The next hook may start a sender again."""
    with contextlib.suppress(OSError):
        (home.folder() / "waking").unlink()


def leaving() -> None:
    with contextlib.suppress(OSError):
        if told_pid() == os.getpid():
            _pid_file().unlink()


def heal() -> None:
    """Take away what a killed process left, so that hooks wake a sender again."""
    with contextlib.suppress(OSError):
        if not alive() or _age(_pid_file()) > _SILENT_SECONDS:
            _pid_file().unlink()
    waking = home.folder() / "waking"
    with contextlib.suppress(OSError):
        if _age(waking) > _STARTING_SECONDS:
            waking.unlink()


def _age(path: Path) -> float:
    """In seconds; of the future after the clock was set back, which is no less suspect. Raises OSError."""
    return abs(time.time() - path.stat().st_mtime)


def _mine_to_start() -> bool:
    try:
        os.close(os.open(home.made() / "waking", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return False
    return True


def alive() -> bool:
    """Whether the told process is there. Not asked on Windows, where asking ends it: a second sender ends itself."""
    pid = told_pid()
    if pid <= 0 or sys.platform == "win32":
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def told_pid() -> int:
    try:
        return int(_pid_file().read_bytes())
    except (OSError, ValueError):
        return 0


def _pid_file() -> Path:
    return home.folder() / "sender.pid"
