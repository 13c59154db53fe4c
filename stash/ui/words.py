"""Times, sizes and names as people read them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.utils import timezone

THIN = "\u202f"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def local(moment: datetime) -> datetime:
    return timezone.localtime(moment) if timezone.is_aware(moment) else moment


def clock(moment: datetime) -> str:
    return f"{local(moment):%H:%M}"


def day(when: date, today: date) -> str:
    text = f"{when.day} {MONTHS[when.month - 1]}"
    return text if when.year == today.year else f"{text} {when.year}"


def exact(moment: datetime) -> str:
    """``30 Nov 2026, 14:31:09``."""
    here = local(moment)
    return f"{here.day} {MONTHS[here.month - 1]} {here.year}, {here:%H:%M:%S}"


def age(moment: datetime, now: datetime | None = None) -> str:
    """``12 s``, ``4 min``, ``3 h``, ``yesterday``, ``21 Nov``. A clock that runs ahead reads as now."""
    then, here = local(moment), local(now or timezone.now())
    seconds = max(int((here - then).total_seconds()), 0)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min"
    days = (here.date() - then.date()).days
    if days == 0:
        return f"{seconds // 3600} h"
    return "yesterday" if days == 1 else day(then.date(), here.date())


def duration(length: timedelta | float) -> str:
    """Of seconds or a timedelta: ``12 ms``, ``3.4 s``, ``2 min 51 s``, ``22 min``, ``1 h 05``."""
    seconds = length.total_seconds() if isinstance(length, timedelta) else float(length)
    seconds = max(seconds, 0.0)
    if seconds < 0.05:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if minutes < 5:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d}"


def thousands(value: int) -> str:
    return f"{int(value):,}".replace(",", THIN)


def compact(value: int) -> str:
    """Token counts: ``940``, ``48 k``, ``1.2 M``."""
    if value < 1000:
        return str(int(value))
    if value < 999_500:
        return f"{value / 1000:.1f} k" if value < 9950 else f"{round(value / 1000)} k"
    return f"{value / 1_000_000:.1f} M"


def size(count: int) -> str:
    """``46 B``, ``4.1 kB``, ``12 MB``."""
    amount, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if amount < 999.5:
            break
        amount, unit = amount / 1000, larger
    return f"{int(amount)} B" if unit == "B" else f"{amount:.1f} {unit}" if amount < 9.95 else f"{round(amount)} {unit}"


def initials(name: str) -> str:
    """First and last word of a name, or the first two letters of the only one."""
    words = [word for word in name.split("@", 1)[0].replace(".", " ").replace("_", " ").split() if word[0].isalnum()]
    if not words:
        return "?"
    return (words[0][:2] if len(words) == 1 else words[0][0] + words[-1][0]).upper()


def split_path(path: str) -> tuple[str, str]:
    """Folder with its slash, and file name: the folder may be cut off on screen, the name never."""
    head, slash, tail = path.replace("\\", "/").rpartition("/")
    return head + slash, tail
