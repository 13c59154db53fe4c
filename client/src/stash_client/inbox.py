"""Raw hook payloads on their way to the sender: one file per call of a hook, there for moments only.

A record is ``key=value`` lines, an empty line and the payload as the agent sent it. Its mtime is the time of capture.
It is written under a name with a leading dot and renamed, so what has a record's name is whole. The hook script
(``hookscript``) writes the same form.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stash_client import accounts, home

MOST_BYTES = 64 * 1024 * 1024
"""Of one payload; what is longer is cut."""
MOST_RECORDS = 10_000
MOST_TOTAL = 512 * 1024 * 1024
"""Bytes of all records. It fills only where no sender can run: a working one empties it at once, online or not."""
_LONGEST_HEADER = 64 * 1024
_ABANDONED_SECONDS = 600
_UNREAD_SECONDS = 7 * 24 * 3600
_UNREAD = ".unread-"


@dataclass(frozen=True)
class Record:
    """``headers``: what the hook knew beside the payload: harness, event, cwd, project_dir, memory, entrypoint;
    ``environment``: the address that ``STASH_URL`` named, where there was a key too.
    """

    name: str
    headers: Mapping[str, str]
    payload: bytes
    mtime_ns: int

    @property
    def harness(self) -> str:
        return self.headers.get("harness", "")

    @property
    def event(self) -> str:
        """ "" where only the payload tells it."""
        return self.headers.get("event", "")

    @property
    def cwd(self) -> str:
        """Where the hook ran; not always the project."""
        return self.headers.get("cwd", "")

    @property
    def key(self) -> str:
        """What makes delivery ids of this record: names come again when process ids do, times with names do not."""
        return f"{self.name}@{self.mtime_ns}"


def folder() -> Path:
    return home.made("inbox")


def put(headers: Mapping[str, str], payload: bytes) -> Path:
    """Write a record for this person's eyes only; whole or not at all. Raises OSError.

    Where the environment names a server, the record says which: whoever reads it may live in another.
    """
    headers = {**headers, "environment": accounts.environment_url()}
    said = [f"{key}={value}\n" for key, value in headers.items() if value and not {"\n", "\r"} & set(value)]
    data = "".join([*said, "\n"]).encode("utf-8", "surrogateescape") + payload[:MOST_BYTES]
    inside = folder()
    kind = f"{_plain(headers.get('harness', ''))}-{_plain(headers.get('event', ''))}"
    name = f"{kind}-{time.time_ns()}-{os.getpid()}"
    partial = inside / f".{name}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(partial, inside / name)
    except OSError:
        partial.unlink()
        raise
    return inside / name


def records() -> Iterator[Path]:
    """Whole records, oldest first; by process id where the clock is too coarse to tell."""
    yield from (path for _, _, path in sorted(_listed()))


def times() -> Iterator[float]:
    """When the records were captured, in seconds since 1970."""
    yield from (mtime_ns / 1e9 for mtime_ns, _, _ in _listed())


def _listed() -> Iterator[tuple[int, int, Path]]:
    """(mtime in ns, process id, path), in no order."""
    with contextlib.suppress(FileNotFoundError), os.scandir(home.folder() / "inbox") as entries:
        for entry in entries:
            if not entry.name.startswith("."):
                with contextlib.suppress(FileNotFoundError):
                    yield entry.stat(follow_symlinks=False).st_mtime_ns, _process(entry.name), Path(entry.path)


def _process(name: str) -> int:
    last = name.rpartition("-")[2]
    return int(last) if last.isascii() and last.isdigit() else 0


def read(path: Path) -> Record:
    """Raises OSError, and ValueError for a file that is no record."""
    with path.open("rb") as file:
        mtime_ns = os.fstat(file.fileno()).st_mtime_ns
        head = _header(file.read(_LONGEST_HEADER))
        file.seek(len(head))
        payload = file.read(MOST_BYTES)
    lines = head.decode("utf-8", "surrogateescape").split("\n")
    headers = dict(line.split("=", 1) for line in lines if "=" in line)
    if not headers.get("harness"):
        raise ValueError(f"{path.name} is no record")
    return Record(path.name, headers, payload, mtime_ns)


def _header(start: bytes) -> bytes:
    end = start.find(b"\n\n")
    if end < 0:
        raise ValueError("no end of the header")
    return start[: end + 2]


def tidy() -> int:
    """Take away what hooks left half-written, and what is too much; returns how many whole records were dropped.

    The biggest go first: they are tool output, while prompts are small.
    """
    _sweep()
    sizes = []
    for _, _, path in _listed():
        with contextlib.suppress(FileNotFoundError):
            sizes.append((path.lstat().st_size, path))
    sizes.sort(key=lambda found: found[0])
    total, dropped = sum(size for size, _ in sizes), 0
    while len(sizes) > MOST_RECORDS or total > MOST_TOTAL:
        size, biggest = sizes.pop()
        with contextlib.suppress(FileNotFoundError):
            biggest.unlink()
        total, dropped = total - size, dropped + 1
    if dropped:
        note_fault(f"The inbox was full: {dropped} of the biggest records were dropped.")
    return dropped


def _sweep() -> None:
    now = time.time()
    with contextlib.suppress(FileNotFoundError), os.scandir(home.folder() / "inbox") as entries:
        for entry in entries:
            if entry.name.startswith("."):
                most = _UNREAD_SECONDS if entry.name.startswith(_UNREAD) else _ABANDONED_SECONDS
                with contextlib.suppress(OSError):
                    if abs(now - entry.stat(follow_symlinks=False).st_mtime) > most:
                        os.unlink(entry.path)


def note_fault(text: str) -> None:
    """Keep the last fault for ``stash`` to show; there is nobody to tell from inside a hook."""
    with contextlib.suppress(OSError):
        home.write_private(home.folder() / "fault.txt", text[-20_000:].encode("utf-8", "replace"))


def set_aside(record: Path, fault: str) -> None:
    """Keep a record that cannot be read under a name that is no record's, for a week, and what went wrong with it."""
    note_fault(fault)
    with contextlib.suppress(OSError):
        os.replace(record, record.with_name(f"{_UNREAD}{record.name}"))


def _plain(text: str) -> str:
    """A part of a file name."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in text)[:60]
