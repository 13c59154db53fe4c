"""Records as hooks write them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from stash_client import inbox


def put(
    cwd: Path | str = "", event: str = "UserPromptSubmit", *, session: str = "s-1", at: float = 0, **fields
) -> Path:
    """``at``: capture time, seconds since 1970."""
    headers = fields.pop("headers", {})
    payload = {"hook_event_name": event, "session_id": session, **({"cwd": str(cwd)} if cwd else {}), **fields}
    return put_raw(json.dumps(payload).encode(), at=at, **headers)


def put_raw(payload: bytes, *, harness: str = "claude-code", at: float = 0, **headers: str) -> Path:
    path = inbox.put({"harness": harness, **headers}, payload)
    if at:
        os.utime(path, (at, at))
    return path
