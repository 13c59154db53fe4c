"""Sessions that their person made private while they run: one small file each in ``private/``.

What the sender posts of such a session asks the server to keep it private, from its first event on.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from stash_client import home


def flag(harness: str, native_id: str) -> Path:
    """Named by a hash: ids are texts of other programs."""
    key = hashlib.sha256(f"{harness}\0{native_id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return home.folder() / "private" / key


def is_private(harness: str, native_id: str) -> bool:
    """A subagent's session (``<parent>/<agent>``) is as private as the one it works for."""
    while True:
        if flag(harness, native_id).exists():
            return True
        native_id, cut, _ = native_id.rpartition("/")
        if not cut:
            return False


def make_private(harness: str, native_id: str) -> None:
    """Raises OSError."""
    about = json.dumps({"harness": harness, "native_id": native_id}).encode()
    home.write_private(flag(harness, native_id), about)


def share(harness: str, native_id: str) -> None:
    """Raises OSError."""
    flag(harness, native_id).unlink(missing_ok=True)
