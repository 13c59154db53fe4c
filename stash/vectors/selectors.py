"""How far the vectors are."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from stash.search.models import Source
from stash.vectors.models import Model, Progress


@dataclass(frozen=True, slots=True)
class Read:
    """``waiting``: sources a model has not read to their end, up to a thousand; ``complete``: it is asked."""

    model: str
    complete: bool
    waiting: int


def read() -> list[Read]:
    found = []
    for row in Model.objects.order_by("pk"):
        done = Progress.objects.filter(model=row, source=OuterRef("pk"), upto__gte=OuterRef("upto"))
        behind = Source.objects.filter(~Exists(done), gone=False, upto__gt=0)
        found.append(Read(str(row), row.complete, behind[:1000].count()))
    return found
