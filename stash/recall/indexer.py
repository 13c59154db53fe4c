"""Brings the index up to what happened: reads what waits, in batches, new things before old ones."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from sessions_app.models import Event, Session
from stash.recall.units import FIELDS, KINDS, text_of
from stash.search import segments
from stash.search.models import Segment, Source, State, Waiting
from stash.search.postings import MOST_SOURCES, MOST_UNITS, key_of
from stash.search.services import note_unreadable, wait_for_indexing
from stash.search.tokens import tokens
from stash.search.vocabulary import Vocabulary

logger = logging.getLogger(__name__)
KIND = "session"
BATCH = 500
"""Events of one round: it becomes visible as a whole."""
_MOST_WAITING = 1_000
_FILL = 50
_SETTLED = timedelta(seconds=5)
_IDLE_FAN = 3
_PURGE_AFTER = timedelta(minutes=10)
_BACKFILL = "backfill"
_DONE = "done"


@dataclass
class _Round:
    """What one round collects before it writes it down in one transaction."""

    draft: segments.Draft = field(default_factory=segments.Draft)
    sources: list[Source] = field(default_factory=list)
    gone: list[UUID] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    read: int = 0
    unreadable: int = 0


class Indexer:
    """Used by one process at a time: see ``locks.only_one``."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        segments.drop_leftovers()

    def work(self) -> bool:
        """One round; answers whether anything waited. What it did is committed, and searchable."""
        waiting = _waiting()
        if not waiting and not _refill():
            return self._tidy(segments.FAN) or self._settle()
        self._index(waiting or _waiting())
        self._tidy(segments.FAN)
        return True

    def run_out(self) -> None:
        """Until nothing is left to do."""
        while self.work():
            pass

    def _index(self, waiting: Sequence[Waiting]) -> None:
        this = _Round()
        by_ref: dict[UUID, list[int]] = {}
        for row in waiting:
            by_ref.setdefault(row.ref, []).append(row.pk)
        known = {one.ref: one for one in Source.objects.filter(kind=KIND, ref__in=list(by_ref), gone=False)}
        sessions = {one.pk: one for one in Session.objects.filter(pk__in=list(by_ref)).only("pk", "team_id")}
        for ref, rows in by_ref.items():
            if this.read >= BATCH:
                break
            session = sessions.get(ref)
            if session is None:
                this.gone.append(ref)
                this.done += rows
            elif _read(this, session, known.get(ref)):
                this.done += rows
        self._write(this)

    def _write(self, this: _Round) -> None:
        with transaction.atomic():
            segments.write(this.draft)
            for source in this.sources:
                source.save(update_fields=["upto", "units", "lengths"])
            Source.objects.filter(kind=KIND, ref__in=this.gone).update(gone=True, units=b"", lengths=b"")
            Waiting.objects.filter(pk__in=this.done).delete()
            if this.unreadable:
                note_unreadable(this.unreadable)
        self._vocabulary.add(this.words)

    def _tidy(self, fan: int) -> bool:
        """Merge once if there are many segments; answers whether it did."""
        live = segments.live_segments()
        run = segments.due(live, fan=fan)
        if run:
            self._merge(run, is_whole=run[0].pk == live[0].pk)
        return bool(run)

    def _merge(self, run: Sequence[Segment], *, is_whole: bool) -> None:
        """What is gone loses its number when nothing is left that could name it."""
        gone = list(Source.objects.filter(gone=True).values_list("pk", flat=True))
        segments.merge(run, gone=gone, is_whole=is_whole)
        if is_whole and not Segment.objects.filter(rank__gt=run[-1].rank).exists():
            Source.objects.filter(pk__in=gone).delete()

    def _settle(self) -> bool:
        """While nothing happens, make fewer segments of what is there than a busy time allows."""
        newest = Segment.objects.order_by("-rank").values_list("made_at", flat=True).first()
        if newest is None or timezone.now() - newest < _SETTLED:
            return False
        return self._tidy(_IDLE_FAN) or self._purge()

    def _purge(self) -> bool:
        """Write the index anew without what was deleted; not more often than once in a while."""
        live = segments.live_segments()
        last = max((segment.made_at for segment in live), default=timezone.now())
        if timezone.now() - last < _PURGE_AFTER or not Source.objects.filter(gone=True).exists():
            return False
        self._merge(live, is_whole=True)
        return True


def _waiting() -> list[Waiting]:
    new = list(Waiting.objects.filter(later=False).order_by("id")[:_MOST_WAITING])
    return new or list(Waiting.objects.filter(later=True).order_by("id")[:_FILL])


def _refill() -> bool:
    """Let the next older sessions wait that were there before the index; answers whether there were any."""
    state, _ = State.objects.get_or_create(name=_BACKFILL, defaults={"value": ""})
    if state.value == _DONE:
        return False
    older = Session.objects.order_by("-pk")
    if state.value:
        older = older.filter(pk__lt=UUID(state.value))
    found = list(older.values_list("pk", flat=True)[:_FILL])
    with transaction.atomic():
        wait_for_indexing(KIND, found)
        state.value = str(found[-1]) if found else _DONE
        state.save(update_fields=["value"])
    return bool(found)


def _read(this: _Round, session: Session, source: Source | None) -> bool:
    """Take in what is new of a session, at most what is left of the batch; answers whether that was all."""
    if source is None:
        source = _new_source(session)
    left = BATCH - this.read
    found = Event.objects.filter(session_id=session.pk, seq__gt=source.upto).only(*FIELDS).order_by("seq")
    events = list(found[: left + 1])
    _take_in(this, source, events[:left])
    return len(events) <= left


def _new_source(session: Session) -> Source:
    source = Source.objects.create(kind=KIND, ref=session.pk, team_id=session.team_id)
    if source.pk >= MOST_SOURCES:
        raise OverflowError("The index numbers 16 million sources; rebuild it to number those anew that are left.")
    return source


def _take_in(this: _Round, source: Source, events: Iterable[Event]) -> None:
    units, lengths = array("Q", bytes(source.units)), bytearray(source.lengths)
    newest = max(units, default=0)
    for event in events:
        source.upto = event.seq
        this.read += 1
        if event.kind not in KINDS:
            continue
        words = _words(this, event)
        again = event.pk <= newest and event.pk in units
        place = units.index(event.pk) if again else len(units)
        if (not words and not again) or place >= MOST_UNITS:
            continue
        length = this.draft.add(key_of(source.pk, place), words, again=again)
        this.words.update(words)
        if again:
            lengths[place] = length
        else:
            units.append(event.pk)
            lengths.append(length)
            newest = max(newest, event.pk)
    source.units, source.lengths = units.tobytes(), bytes(lengths)
    this.sources.append(source)


def _words(this: _Round, event: Event) -> list[str]:
    """None of an event that cannot be read, whatever is wrong with it: what comes after it must not wait for ever."""
    try:
        return tokens(text_of(event))
    except Exception:
        logger.exception("event %s cannot be indexed", event.pk)
        this.unreadable += 1
        return []
