"""When an agent's last event was captured here."""

from __future__ import annotations

from datetime import datetime
from typing import Optional

from stash_client import recent


def last_seen(harness: str) -> Optional[float]:
    """In s since 1970, None if none is known."""
    times = (one.last_at for one in recent.all_recent() if one.harness == harness and one.last_at)
    return max(filter(None, map(_seconds, times)), default=None)


def _seconds(moment: str) -> Optional[float]:
    try:
        return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None
