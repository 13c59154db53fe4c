"""Times as people write and read them on a command line."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from stash_client.cli.output import USAGE, Failed

_SPAN = re.compile(r"(\d{1,6})\s*([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(text: str) -> str:
    """RFC 3339 of ``30m``, ``2h``, ``7d`` ago, ``today``, ``yesterday``, a date, or a time. Raises Failed."""
    word, now = text.strip(), datetime.now(timezone.utc)
    if span := _SPAN.fullmatch(word.lower()):
        return (now - timedelta(**{_UNITS[span[2]]: int(span[1])})).isoformat()
    if word.lower() in ("today", "yesterday"):
        start = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        return (start - timedelta(days=int(word.lower() == "yesterday"))).isoformat()
    try:
        found = datetime.fromisoformat(word.replace("Z", "+00:00").replace("z", "+00:00"))
    except ValueError:
        raise Failed(
            f"{text!r} is no time.", hint="Write 30m, 2h, 7d, today or 2026-11-30T14:00", code="usage", exit_code=USAGE
        ) from None
    return (found if found.tzinfo else found.astimezone()).isoformat()


def age(at: str) -> str:
    """``12 s``, ``5 min``, ``3 h``, ``2 d`` since ``at``; "" where that is no time."""
    try:
        seconds = (datetime.now(timezone.utc) - datetime.fromisoformat(at)).total_seconds()
    except (ValueError, TypeError):
        return ""
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "min"), (86400, 3600, "h")):
        if seconds < limit:
            return f"{max(int(seconds // size), 0)} {unit}"
    return f"{int(seconds // 86400)} d"


def clock(at: str) -> str:
    """Hours and minutes on this machine's clock."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%H:%M")
    except (ValueError, TypeError):
        return ""
