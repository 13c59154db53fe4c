"""When an agent's last event was captured here."""

from __future__ import annotations

from typing import Optional


def last_seen(harness: str) -> Optional[float]:
    """In s since 1970, None if never."""
    return None
