"""Days that a question names: exactly for filters, and as a leaning for what happened then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name[:length]: number for number, name in enumerate(_NAMES, 1) for length in (3, len(name))}
_MONTHS["sept"] = 9
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?:of\s+)?(?P<year>(?:19|20)\d\d))?"
_ISO = re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?\b")
_DAY_FIRST = re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+{_DAY}\b(?!\d){_YEAR}", re.IGNORECASE)
_MONTH_ONLY = re.compile(rf"\b{_MONTH}{_YEAR}", re.IGNORECASE)
_YEAR_ONLY = re.compile(r"\b(20\d\d)\b")
_AMBIGUOUS = ("may", "march", "mar", "dec", "jan", "sep")
_BEFORE_MONTH = re.compile(r"\b(?:in|of|during|since|until|by|before|after|last|this|early|mid|late|end of)\s+$", re.I)
_AGO = re.compile(r"^(\d{1,4})\s*(?:h|d|w|m|y|hours?|days?|weeks?|months?|years?)(?:[\s_-]*ago)?$", re.IGNORECASE)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(1), "w": timedelta(7), "m": timedelta(30), "y": timedelta(365)}
_RELATIVE = re.compile(
    rf"\b(?:(?P<plain>today|yesterday)|(?P<which>last|this)[\s_-]+(?P<what>week|month|year|{'|'.join(_WEEKDAYS)}))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Named:
    """A day, month or year as far as it was said."""

    day: int | None = None
    month: int | None = None
    year: int | None = None


@dataclass(frozen=True, slots=True)
class When:
    """What a question says about time: ``named`` days, and ``spans`` [first, last] of "yesterday" or "last week"."""

    named: tuple[Named, ...] = ()
    spans: tuple[tuple[date, date], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.named or self.spans)


def days_in(text: str, today: date) -> When:
    spans = tuple(_span(match, today) for match in _RELATIVE.finditer(text))
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        if found := [named for match in pattern.finditer(text) if (named := _named(match))]:
            return When(tuple(found), spans)
    if months := [named for match in _MONTH_ONLY.finditer(text) if _is_month(text, match) and (named := _named(match))]:
        return When(tuple(months), spans)
    return When(tuple(Named(year=int(year)) for year in _YEAR_ONLY.findall(text)), spans)


def _is_month(text: str, match: re.Match[str]) -> bool:
    """Whether "may" or "march" is a month here."""
    if match["month"].lower() not in _AMBIGUOUS or match["year"]:
        return True
    return bool(_BEFORE_MONTH.search(text[: match.start()]))


def _named(match: re.Match[str]) -> Named | None:
    month = _MONTHS.get(match["month"].lower()) or (int(match["month"]) if match["month"].isdigit() else 0)
    said = match.groupdict()
    day, year = (int(said[name]) if said.get(name) else None for name in ("day", "year"))
    return Named(day, month, year) if 1 <= month <= 12 and (day is None or 1 <= day <= 31) else None


def _span(match: re.Match[str], today: date) -> tuple[date, date]:
    if match["plain"]:
        day = today - timedelta(match["plain"].lower() == "yesterday")
        return day, day
    what, last = match["what"].lower(), match["which"].lower() == "last"
    if what in _WEEKDAYS:
        back = (today.weekday() - _WEEKDAYS.index(what)) % 7
        day = today - timedelta(back or (7 if last else 0))
        return day, day
    if what == "week":
        monday = today - timedelta(today.weekday() + 7 * last)
        return monday, monday + timedelta(6)
    if what == "month":
        first = today.replace(day=1)
        first = (first - timedelta(1)).replace(day=1) if last else first
        return first, (first + timedelta(31)).replace(day=1) - timedelta(1)
    year = today.year - last
    return date(year, 1, 1), date(year, 12, 31)


def leaning(when: When, day: date) -> float:
    """How much something of that day fits, 0 to 1; what happened is often told a few days later."""
    fits = [_fit(named, day) for named in when.named]
    fits += [1.0 if first <= day <= last else 0.0 for first, last in when.spans]
    return max(fits, default=0.0)


def _fit(named: Named, day: date) -> float:
    if named.month is None:
        return 0.1 if named.year == day.year else 0.0
    if named.day is None:
        return _fit_of_month(named, day)
    years: Sequence[int] = [named.year] if named.year else [day.year - 1, day.year, day.year + 1]
    return max(_fit_of_day(year, named.month, named.day, day) for year in years)


def _fit_of_day(year: int, month: int, of_month: int, day: date) -> float:
    try:
        gap = (day - date(year, month, of_month)).days
    except ValueError:
        return 0.0
    if gap == 0:
        return 1.0
    if 0 < gap <= 3:
        return 0.8
    if 3 < gap <= 10:
        return 0.6
    return 0.3 if -3 <= gap < 0 or 10 < gap <= 31 else 0.0


def _fit_of_month(named: Named, day: date) -> float:
    assert named.month is not None
    after = (day.year * 12 + day.month) - ((named.year or day.year) * 12 + named.month)
    if not named.year:
        after %= 12
    if after == 0:
        return 1.0
    return 0.3 if after == 1 and day.day <= 10 else 0.0


def moment(said: str, now: datetime, *, end: bool = False) -> datetime | None:
    """The point in time that a ``since:`` or ``until:`` value means; None when it means none. ``end``: of a day."""
    said = said.strip().strip('"')
    if ago := _AGO.match(said):
        return _earlier(now, int(ago[1]), said[len(ago[1]) :].strip(" -_")[:1].lower())
    if "T" in said or ":" in said:
        try:
            exact = datetime.fromisoformat(said)
            return exact if exact.tzinfo else exact.replace(tzinfo=UTC)
        except ValueError:
            return None
    spoken = said.replace("_", " ").replace("-", " ") if not said[:1].isdigit() else said
    if spoken.lower() in _WEEKDAYS:
        spoken = f"this {spoken}"
    span = _whole(days_in(spoken if spoken[:1].isdigit() else f"in {spoken}", now.date()), now.date())
    if span is None:
        return None
    try:
        day = span[1] + timedelta(1) if end else span[0]
    except OverflowError:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _earlier(now: datetime, count: int, unit: str) -> datetime | None:
    try:
        return now - count * _UNITS[unit]
    except (OverflowError, KeyError):
        return None


def _whole(when: When, today: date) -> tuple[date, date] | None:
    if when.spans:
        return when.spans[0]
    if not when.named:
        return None
    named = when.named[0]
    year = named.year or today.year
    try:
        if named.month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if named.day is None:
            first = date(year, named.month, 1)
            return first, (first + timedelta(31)).replace(day=1) - timedelta(1)
        day = date(year, named.month, named.day)
        return day, day
    except ValueError:
        return None
