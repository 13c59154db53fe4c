"""What was put into whose file, in ``wiring.json``: so that taking it out again leaves the very bytes that were there.

Without a record (the folder was lost, another Stash wrote the entries) our things are found by their marks alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any, Optional

from stash_client import home
from stash_client.wiring.edits import Path, Splice


@dataclass(frozen=True)
class Record:
    """``digest`` of the file as we left it; ``undo``: splices that lead back from there. ``created``: there was none.
    ``folders``: those made for it, innermost first. ``kept``: containers that were there before. ``at``: when, in s."""

    harness: str
    digest: str
    undo: tuple[Splice, ...] = ()
    created: bool = False
    folders: tuple[str, ...] = ()
    kept: tuple[Path, ...] = ()
    at: float = 0.0


def path() -> FilePath:
    return home.folder() / "wiring.json"


def load() -> dict[str, Record]:
    """By real path; unreadable means none."""
    try:
        stored = json.loads(path().read_text(encoding="utf-8"))
        return {name: _record(fields) for name, fields in stored["files"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _record(fields: Mapping[str, Any]) -> Record:
    undo = tuple(Splice(*splice) for splice in fields["undo"])
    kept = tuple(tuple(names) for names in fields["kept"])
    return Record(**{**fields, "undo": undo, "kept": kept, "folders": tuple(fields["folders"])})


def save(records: Mapping[str, Record]) -> None:
    """Raises OSError."""
    if not records and not path().exists():
        return
    files = {name: _fields(record) for name, record in sorted(records.items())}
    home.write_private(path(), json.dumps({"v": 1, "files": files}, indent=1).encode())


def _fields(record: Record) -> dict[str, Any]:
    return {**asdict(record), "undo": [[s.start, s.end, s.new] for s in record.undo]}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def calls_since(harness: str) -> Optional[float]:
    """As ``wired_since``, where nobody has taken our calls out of its files by hand meanwhile."""
    times = [record.at for name, record in load().items() if record.harness == harness and _names_us(name)]
    return max(times, default=None)


def _names_us(name: str) -> bool:
    try:
        return b"stash" in FilePath(name).read_bytes()
    except OSError:
        return False


def wired_since(harness: str) -> Optional[float]:
    """When the harness was last wired by us, None when it is not."""
    times = [record.at for record in load().values() if record.harness == harness]
    return max(times, default=None)
