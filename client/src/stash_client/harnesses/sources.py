"""Where agents keep their sessions on disk, and how such a file is read."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from stash_client.events import JSON
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.transcripts import Transcript

if TYPE_CHECKING:
    from stash_client.harnesses.base import Harness

JSONL, JSON_FILE, SQLITE = "jsonl", "json", "sqlite"
_LARGEST_SIDECAR = 1_000_000
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


@dataclass(frozen=True)
class Source:
    """Session files of one kind.

    ``pattern``: a glob (``**`` for any depth) with ``~`` for the home and ``${NAME:-default}`` for what an environment
    variable moves. ``kind``: jsonl, json or sqlite. ``read``: the sessions of one file, each to be read before the
    next; a file that cannot be opened or is no database raises OSError or sqlite3.Error, content never raises.
    ``verified``: place and format were read in the agent's own words or files, not only heard of.
    """

    pattern: str
    kind: str
    read: Callable[[str], Iterator[Transcript]]
    verified: bool = True

    def files(self) -> Iterator[str]:
        """The files there are now, sorted; a name listed twice through links stays listed once."""
        seen = set()
        for path in sorted(glob.iglob(expanded(self.pattern), recursive=True)):
            real = os.path.realpath(path)
            if real not in seen and os.path.isfile(real):
                seen.add(real)
                yield path


def expanded(pattern: str) -> str:
    """The pattern for this machine and person. What a variable holds is a place, not a pattern."""
    place = _VARIABLE.sub(lambda found: _place(os.environ.get(found.group(1), ""), found.group(2)), pattern)
    return os.path.expanduser(place)


def _place(told: str, default: str) -> str:
    return glob.escape(os.path.expanduser(told)) if told else default


def lines_of(path: str) -> Iterator[bytes]:
    """The lines of a file, opened when the first is asked for. Raises OSError."""
    with open(path, "rb") as file:
        yield from file


def read_file(harness: Harness, path: str, native_id: Optional[str] = None) -> Transcript:
    """The one session of a file of lines."""
    return Transcript(harness.reader(harness, native_id), lines_of(path))


def object_in(path: str) -> Mapping[str, JSON]:
    """What a small file beside a session tells; {} when it is not there or no JSON object."""
    try:
        with open(path, "rb") as file:
            value = decode(file.read(_LARGEST_SIDECAR))
    except (OSError, Empty, Unreadable):
        return {}
    return value if isinstance(value, dict) else {}


def stem(path: str) -> str:
    """The file's name without folder and ending."""
    return os.path.basename(path).partition(".")[0]


def folder_of(path: str, levels: int = 1) -> str:
    """The name of the folder that holds the file, or of the one ``levels`` above it."""
    for _ in range(levels):
        path = os.path.dirname(path)
    return os.path.basename(path)
