"""Times and sizes as people say them, in the local time of this machine."""

from __future__ import annotations

from datetime import datetime, timezone


def clock(moment: datetime) -> str:
    """``14:31`` today, else ``21 Nov 14:31``."""
    local = moment.astimezone()
    is_today = local.date() == datetime.now(timezone.utc).astimezone().date()
    return local.strftime("%H:%M") if is_today else f"{local.day} {local.strftime('%b %H:%M')}"


def parsed(text: str) -> datetime | None:
    """An RFC 3339 time; None for anything else."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def counted(number: int, one: str, many: str = "") -> str:
    """``1 event``, ``1 340 events``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}".replace(",", " ")
