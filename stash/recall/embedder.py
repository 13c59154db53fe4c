"""Brings vectors up to the index: reads what people and agents said, in small batches, new sessions first."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import OuterRef, Subquery

from sessions_app.models import Event
from stash.recall.indexer import KIND
from stash.recall.speakers import speakers_in, without_label
from stash.recall.units import FIELDS, text_of
from stash.search.models import Source
from stash.search.postings import MOST_UNITS, key_of
from stash.vectors.encoders import Encoder
from stash.vectors.likeness import Shelf, packed
from stash.vectors.models import Model, Progress, Vector

SAID = ("prompt", "reply", "subagent")
"""What is read for its meaning. What tools put out is found by its words."""
_BATCH = 32
_SOURCES = 50
_LOADED = 2_000
_FORGET_EVERY = 5.0


@dataclass
class Reading:
    """One model, what it has read, and that in memory."""

    encoder: Encoder
    row: Model
    shelves: dict[UUID, Shelf] = field(default_factory=dict)
    sources: set[int] = field(default_factory=set)
    speakers: dict[UUID, set[str]] = field(default_factory=dict)

    def shelf(self, team: UUID) -> Shelf:
        return self.shelves.setdefault(team, Shelf(self.encoder.dimension))


class Embedder:
    """Used by one process at a time. A batch is committed before it is in memory: a kill loses at most one."""

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self.readings = [_loaded(encoder) for encoder in encoders]
        self._forget_at = 0.0

    def work(self) -> bool:
        """One batch of the first model that has something to read; answers whether there was anything."""
        if time.monotonic() >= self._forget_at:
            self.forget()
        return any(self._read(reading) for reading in reversed(self.readings))

    def run_out(self) -> None:
        while self.work():
            pass

    def _read(self, reading: Reading) -> bool:
        source = _behind(reading.row).first()
        if source is None:
            if not reading.row.complete:
                _finish(reading.row)
                self._drop_others()
            return False
        progress, _ = Progress.objects.get_or_create(model=reading.row, source=source)
        events, upto = _next(source, progress)
        made = _vectors(reading.encoder, source, events, progress)
        with transaction.atomic():
            Vector.objects.filter(progress=progress, unit__in=list(made)).delete()
            Vector.objects.bulk_create([Vector(progress=progress, unit=key, data=data) for key, data in made.items()])
            progress.upto = upto
            progress.save(update_fields=["upto", "speakers"])
        reading.shelf(source.team_id).add(made.items())
        reading.sources.add(source.pk)
        reading.speakers.setdefault(source.team_id, set()).update(progress.speakers.splitlines())
        return True

    def _drop_others(self) -> None:
        """Vectors of models that are not used any more, once those that are have read everything."""
        if all(reading.row.complete for reading in self.readings):
            Model.objects.exclude(pk__in=[reading.row.pk for reading in self.readings]).delete()

    def forget(self) -> None:
        """What was deleted leaves the tables and the memory; nothing of it was shown meanwhile."""
        self._forget_at = time.monotonic() + _FORGET_EVERY
        Progress.objects.filter(source__gone=True).delete()
        for reading in self.readings:
            known = Progress.objects.filter(model=reading.row).values_list("source", flat=True)
            if gone := reading.sources - set(known):
                for shelf in reading.shelves.values():
                    shelf.drop(gone)
                reading.sources -= gone


def _behind(row: Model) -> QuerySet[Source]:
    read = Progress.objects.filter(model=row, source=OuterRef("pk")).values("upto")[:1]
    sources = Source.objects.filter(kind=KIND, gone=False, upto__gt=0).annotate(read=Subquery(read))
    return sources.filter(Q(read=None) | Q(read__lt=F("upto"))).order_by("-pk")


def _finish(row: Model) -> None:
    row.complete = True
    row.save(update_fields=["complete"])


def _next(source: Source, progress: Progress) -> tuple[list[Event], int]:
    """The next things said in a session, and how far it is read with them."""
    rows = Event.objects.filter(session_id=source.ref, kind__in=SAID, seq__gt=progress.upto, seq__lte=source.upto)
    events = list(rows.only(*FIELDS).order_by("seq")[:_BATCH])
    return events, events[-1].seq if len(events) == _BATCH else source.upto


def _vectors(encoder: Encoder, source: Source, events: Sequence[Event], progress: Progress) -> dict[int, bytes]:
    """By key; what the index does not know has none."""
    units = array("Q", bytes(source.units))
    places = {event: place for place, event in enumerate(units)}
    texts = {event.pk: text_of(event) for event in events if places.get(event.pk, MOST_UNITS) < MOST_UNITS}
    speakers = {*progress.speakers.splitlines(), *speakers_in(texts.values())}
    progress.speakers = "\n".join(sorted(speakers))
    if not texts:
        return {}
    vectors = encoder.encode([without_label(text, speakers) for text in texts.values()])
    keys = [key_of(source.pk, places[event]) for event in texts]
    return dict(zip(keys, packed(vectors), strict=True))


def _loaded(encoder: Encoder) -> Reading:
    """With all vectors that the model ever made."""
    row, _ = Model.objects.get_or_create(name=encoder.name, dimension=encoder.dimension)
    reading = Reading(encoder, row)
    teams: dict[int, UUID] = {}
    for pk, source, team, speakers in Progress.objects.filter(model=row).values_list(
        "pk", "source_id", "source__team_id", "speakers"
    ):
        teams[pk] = team
        reading.sources.add(source)
        reading.speakers.setdefault(team, set()).update(speakers.splitlines())
    for team, rows in _stored(row, teams):
        reading.shelf(team).add(rows)
    return reading


def _stored(row: Model, teams: Mapping[int, UUID]) -> Iterator[tuple[UUID, list[tuple[int, bytes]]]]:
    rows = Vector.objects.filter(progress__model=row).order_by("progress_id")
    for progress, unit, data in rows.values_list("progress_id", "unit", "data").iterator(chunk_size=_LOADED):
        if progress in teams:
            yield teams[progress], [(unit, bytes(data))]
