"""What others tell the index."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from stash.search.models import UNREADABLE, Page, Segment, Source, State, Waiting, Word

_REF = Waiting._meta.get_field("ref")
_SINCE = Waiting._meta.get_field("since")
_MARK = f"INSERT INTO {Waiting._meta.db_table} (kind, ref, later, since) VALUES (%s, %s, %s, %s)"  # noqa: S608


def changed(kind: str, ref: UUID) -> None:
    """Something of it is new, different or gone; part of the caller's transaction. Runs with every batch of events."""
    values = [kind, _REF.get_db_prep_save(ref, connection), False]  # type: ignore[union-attr]
    with connection.cursor() as cursor:
        cursor.execute(_MARK, [*values, _SINCE.get_db_prep_save(timezone.now(), connection)])  # type: ignore[union-attr]


def wait_for_indexing(kind: str, refs: Iterable[UUID]) -> None:
    """Index these when nothing newer waits."""
    Waiting.objects.bulk_create([Waiting(kind=kind, ref=ref, later=True) for ref in refs])


def note_unreadable(count: int) -> None:
    """So many more things could not be indexed since the index was begun; the operator is told how many."""
    state, _ = State.objects.get_or_create(name=UNREADABLE, defaults={"value": "0"})
    State.objects.filter(pk=state.pk).update(value=str(int(state.value) + count))


@transaction.atomic
def clear() -> None:
    """Forget the whole index: it is made again from what is there."""
    for model in (Page, Segment, Source, Word, Waiting, State):
        model.objects.all().delete()
