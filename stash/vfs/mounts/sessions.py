"""Sessions by day: ``<YYYY-MM-DD>/<HHMM>-<slug>-<id8>/`` and the files in them."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from uuid import UUID

from sessions_app.filing import path_of
from sessions_app.models import Event, Session
from sessions_app.rendering.export import jsonl_of, markdown_of
from sessions_app.selectors import filing, pages
from sessions_app.selectors.filing import Shelf
from sessions_app.selectors.holding import sessions_holding
from sessions_app.serializers import session_object
from sessions_app.services.editing import note_opening
from stash.vfs.mounts.summary import summary_of
from stash.vfs.tree import File, Folder, Node, Reader

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY_BEGUN = re.compile(r"\d{0,4}|\d{4}-\d{0,2}|\d{4}-\d{2}-\d{0,2}")
_MOST_DAYS, _MOST_IN_A_DAY, _PAGE = 20_000, 20_000, 200
_MOST_DAYS_AT_ONCE = 64


class Sessions(Folder):
    """The days of a shelf."""

    def __init__(self, reader: Reader, name: str, shelf: Shelf) -> None:
        super().__init__(reader, name)
        self.shelf = shelf

    def _entries(self, prefix: str) -> Iterator[Node]:
        bounds = days_beginning(prefix)
        if bounds is None:
            return
        first, last = bounds
        days = filing.days(self.reader.actor, self.shelf, first=first, last=last, limit=_MOST_DAYS)
        self.reader.budget.read(rows=len(days))
        ahead = Ahead(self.reader, self.shelf, days)
        for day in days:
            yield Day(self.reader, self.shelf, day, ahead)

    def entry(self, name: str) -> Node | None:
        return super().entry(name) if _DAY.fullmatch(name) else None


def days_beginning(prefix: str) -> tuple[date, date] | None:
    """The first and last day whose name begins like this; None when no day's does."""
    if not _DAY_BEGUN.fullmatch(prefix):
        return None
    low, high = prefix + "0000-00-00"[len(prefix) :], prefix + "9999-99-99"[len(prefix) :]
    return _clamped(low, first=True), _clamped(high, first=False)


def _clamped(text: str, *, first: bool) -> date:
    """The day, or the nearest that exists: months have no day 39."""
    year, month, day = (int(part) for part in text.split("-"))
    year, month = max(year, 1), min(max(month, 1), 12)
    for candidate in range(max(day, 1), 0, -1):
        with suppress(ValueError):
            return date(year, month, candidate)
    return date.min if first else date.max


class Batch:
    """Sessions of some days, which a search asks about together."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self.sessions = sessions
        self._holding: dict[tuple[str, bool], set[UUID]] = {}

    def may_hold(self, session: Session, needle: str, *, fold: bool) -> bool:
        if (needle, fold) not in self._holding:
            self._holding[needle, fold] = sessions_holding(self.sessions, needle, fold=fold)
        return session.pk in self._holding[needle, fold]


class Ahead:
    """Who goes from day to day is read ever more days at once; who looks at one reads that one."""

    def __init__(self, reader: Reader, shelf: Shelf, days: Sequence[date]) -> None:
        self.reader, self.shelf, self.days = reader, shelf, days
        self._step, self._first, self._last, self._batch = 1, date.max, date.min, Batch([])

    def of(self, day: date) -> Batch:
        if not self._batch.sessions or not self._first <= day <= self._last:
            self._load(day)
        return self._batch

    def _load(self, day: date) -> None:
        start = bisect_left(self.days, day)
        chosen = self.days[start : start + self._step] or [day]
        self._first, self._last = chosen[0], chosen[-1]
        self._step = min(self._step * 2, _MOST_DAYS_AT_ONCE)
        rows = filing.filed_between(self.reader.actor, self.shelf, self._first, self._last, limit=_MOST_IN_A_DAY)
        if len(rows) == _MOST_IN_A_DAY and self._last > self._first:
            self._last, self._step = self._first, 1
            rows = filing.filed_between(self.reader.actor, self.shelf, day, day, limit=_MOST_IN_A_DAY)
        self.reader.budget.read(rows=len(rows))
        self._batch = Batch(rows)


class Day(Folder):
    def __init__(self, reader: Reader, shelf: Shelf, day: date, ahead: Ahead) -> None:
        super().__init__(reader, day.isoformat())
        self.shelf, self.day, self.ahead = shelf, day, ahead
        self.modified = datetime.combine(day, time(), UTC)

    def _entries(self, prefix: str) -> Iterator[Node]:
        batch = self.ahead.of(self.day)
        for session in batch.sessions:
            if session.filed_on == self.day:
                yield SessionFolder(self.reader, session, batch)

    def entry(self, name: str) -> Node | None:
        session = filing.filed_as(self.reader.actor, self.shelf, self.day, name)
        return SessionFolder(self.reader, session) if session else None


class SessionFolder(Folder):
    def __init__(self, reader: Reader, session: Session, batch: Batch | None = None) -> None:
        super().__init__(reader, session.filed_as)
        self.batch = batch
        self.session, self.modified = session, session.last_event_at
        self.home = path_of(session)

    def _entries(self, prefix: str) -> Iterator[Node]:
        for kind in (Events, Meta, Summary, Transcript):
            yield kind(self.reader, self.session, self.batch)


class SessionFile(File):
    filename = ""
    derived = True

    def __init__(self, reader: Reader, session: Session, batch: Batch | None = None) -> None:
        super().__init__(reader, self.filename)
        self.batch = batch
        self.session, self.modified = session, session.last_event_at

    def _blocks(self) -> Iterator[bytes]:
        """That an administrator reads what nobody gave them is written down, once for each command line."""
        if self.session.pk not in self.reader.opened:
            self.reader.opened.add(self.session.pk)
            note_opening(actor=self.reader.actor, session=self.session)
        for text in self._texts():
            yield text.encode("utf-8", "replace")

    def _texts(self) -> Iterable[str]:
        raise NotImplementedError

    def _pages(self) -> Iterator[list[Event]]:
        for page in pages(self.session, size=_PAGE):
            self.reader.budget.read(rows=len(page))
            yield page


class Transcript(SessionFile):
    filename = "transcript.md"
    derived = False

    def may_hold(self, needle: str, *, fold: bool) -> bool:
        return self.batch is None or self.batch.may_hold(self.session, needle, fold=fold)

    def _texts(self) -> Iterable[str]:
        return markdown_of(self.session, self._pages())


class Events(SessionFile):
    filename = "events.jsonl"

    def _texts(self) -> Iterable[str]:
        return jsonl_of(self._pages())


class Summary(SessionFile):
    filename = "summary.md"

    def _texts(self) -> Iterable[str]:
        return [summary_of(self.session)]


class Meta(SessionFile):
    filename = "meta.json"

    def _texts(self) -> Iterable[str]:
        told = session_object(self.session, self.reader.actor.team_slug)
        return [json.dumps(told, ensure_ascii=False, indent=2, default=str) + "\n"]
