"""One sender on a machine. The lock goes with the process that holds it, however it ends; see also ``waking``."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from stash_client import home, waking

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
    import msvcrt

_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


@contextmanager
def alone(*, patience: float = 0) -> Iterator[bool]:
    """Whether this process is the only sender now, waiting up to ``patience`` seconds for another to go.

    Whoever was it must look into the inbox again after this: a hook that came meanwhile saw the pid file and left its
    record to us. That is why the pid file goes first, then the lock.
    """
    descriptor = os.open(home.made() / "sender.lock", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as file:
        held = _locked(file.fileno(), patience)
        if not held:
            waking.started()
            yield False
            return
        try:
            # A disk without room for a number must not keep what waits from being sent.
            with contextlib.suppress(OSError):
                waking.arrived()
            waking.started()
            yield True
        finally:
            waking.leaving()
            _unlock(file.fileno())


def _locked(descriptor: int, patience: float) -> bool:
    until = time.monotonic() + patience
    while not _lock(descriptor):
        if time.monotonic() >= until:
            return False
        time.sleep(0.02)
    return True


def _lock(descriptor: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError as error:
        return error.errno not in _TAKEN and not _another_lives()
    return True


def _unlock(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        else:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]


def _another_lives() -> bool:
    """For file systems without locks: the pid file, which may be stale, is all there is to ask."""
    return waking.alive() and waking.told_pid() != os.getpid()
