"""``paused`` in the home folder: while it is there, and its time is not over, no session on this machine is captured.

Empty means until somebody says ``stash resume``; otherwise it holds the end as RFC 3339.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

from stash_client import home

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "": "minutes"}
_PART = re.compile(r"(\d{1,6})([smhd]?)")


def path() -> Path:
    return home.folder() / "paused"


def pause(until: datetime | None) -> None:
    """``until``: None for as long as it takes. Raises OSError."""
    home.write_private(path(), until.isoformat().encode() if until else b"")


def resume() -> bool:
    """Whether it had been paused. Raises OSError."""
    was = is_paused()
    path().unlink(missing_ok=True)
    return was


def is_paused(now: datetime | None = None) -> bool:
    try:
        text = path().read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    end = _moment(text)
    return end is None or (now or datetime.now(timezone.utc)) < end


def until() -> datetime | None:
    """When it ends by itself; None for never, or when it is not paused."""
    try:
        return _moment(path().read_text(encoding="utf-8").strip())
    except (OSError, ValueError):
        return None


def _moment(text: str) -> datetime | None:
    """None for what is no time: then it stays paused, which is what somebody asked for."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def span(words: str) -> timedelta:
    """``30m``, ``2h``, ``1h30m``, ``45`` (minutes). Raises ValueError."""
    text = words.strip().lower()
    parts = list(_PART.finditer(text))
    if not parts or "".join(part.group() for part in parts) != text:
        raise ValueError(f"{words!r} is not a length of time; write 30m, 2h or 1d")
    total = sum((timedelta(**{_UNITS[part.group(2)]: int(part.group(1))}) for part in parts), timedelta())
    if not timedelta() < total <= timedelta(days=366):
        raise ValueError(f"{words!r} is not a useful length of time; write 30m, 2h or 1d")
    return total
