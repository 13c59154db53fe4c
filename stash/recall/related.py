"""Sessions that have to do with another one: the same files, the same words or meaning, the same project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from sessions_app.models import Session, SessionFile
from stash.actors import Actor
from stash.recall.searching import search

_MOST_FILES, _MOST_NEIGHBOURS, _MOST_ALIKE = 12, 200, 8
_FILE, _PROJECT, _ENOUGH_FILES, _HARDLY = 0.35, 0.15, 3, 0.25


@dataclass(frozen=True, slots=True)
class Related:
    """``files``: names of files both touched; ``alike``: their words or meaning fit."""

    session: Session
    files: Sequence[str]
    alike: bool
    score: float


def related(actor: Actor, session: Session, *, limit: int = 5) -> list[Related]:
    """Bounded: the files it changed most, the newest sessions that touched them, and one search for its title."""
    shared = _sharing_files(actor, session)
    alike = _alike(actor, session)
    rows = Session.objects.visible_to(actor).select_related("person", "project")
    found = [
        _weighed(other, session, shared.get(pk, ()), alike.get(pk, 0.0))
        for pk, other in rows.in_bulk(list(shared.keys() | alike.keys())).items()
    ]
    found.sort(key=lambda one: (-one.score, -one.session.last_event_at.timestamp()))
    return found[:limit]


def _weighed(other: Session, session: Session, files: Sequence[str], alike: float) -> Related:
    same = other.project_id is not None and other.project_id == session.project_id
    score = alike + _FILE * min(len(files), _ENOUGH_FILES) + _PROJECT * same
    return Related(other, [path.rsplit("/", 1)[-1] for path in files], alike > 0, score)


def _sharing_files(actor: Actor, session: Session) -> Mapping[UUID, Sequence[str]]:
    """Files of its own project only: paths are relative, and every repository has a README."""
    if session.project_id is None:
        return {}
    mine = SessionFile.objects.filter(session=session).order_by("-edits", "-reads", "path")
    paths = list(mine.values_list("path", flat=True)[:_MOST_FILES])
    others = Session.objects.visible_to(actor).top_level().filter(project_id=session.project_id).exclude(pk=session.pk)
    recent = list(others.order_by("-last_event_at", "-pk").values_list("pk", flat=True)[:_MOST_NEIGHBOURS])
    rows = SessionFile.objects.filter(session_id__in=recent, path__in=paths).values_list("session_id", "path")
    found: dict[UUID, list[str]] = {}
    for pk, path in rows:
        found.setdefault(pk, []).append(path)
    known = Counter(path for touched in found.values() for path in touched)
    return {pk: sorted(touched, key=lambda path: (known[path], path)) for pk, touched in found.items()}


def _alike(actor: Actor, session: Session) -> Mapping[UUID, float]:
    """By how well they answer its title, from 0 to 1; those that answer it hardly at all are left out."""
    if not session.title:
        return {}
    others = Q(parent__isnull=True) & ~Q(pk=session.pk)
    question = " ".join(word.strip('"-:') for word in session.title.replace(":", " ").split())
    hits = search(actor, question, limit=_MOST_ALIKE, among=others).hits
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    return {hit.session.pk: hit.score / best for hit in hits if hit.score >= best * _HARDLY}
