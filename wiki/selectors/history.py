"""What happened to a page: revisions from the index, texts and lines from git."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import Project
from stash.access import allowed, gate
from stash.actors import Actor
from stash.errors import NotFound
from stash.gitstore import history
from wiki.content import page_path
from wiki.models import Page, Revision
from wiki.places import store_of


@dataclass(frozen=True, slots=True)
class Blamed:
    """A line with the revision that wrote it; None for commits beside the main line."""

    line: history.Line
    revision: Revision | None


def revisions_of(actor: Actor, project: Project, path: str) -> QuerySet[Revision]:
    """Newest first, deleted pages included."""
    if not allowed(actor, "wiki.read", project):
        raise NotFound()
    return Revision.objects.filter(project=project, path=page_path(path)).order_by("-number")


def _revision(actor: Actor, project: Project, path: str, commit: str) -> Revision:
    return gate(revisions_of(actor, project, path), commit=commit)


def text_at(actor: Actor, project: Project, path: str, commit: str) -> str:
    """The page as that commit of it left it."""
    found = _revision(actor, project, path, commit)
    if not found.blob:
        raise NotFound()
    return store_of(project.pk).blob(found.blob).decode("utf-8", "replace")


def diff_of(actor: Actor, project: Project, path: str, before: str, after: str) -> str:
    """A unified difference between two commits of a page."""
    first, second = (_revision(actor, project, path, commit) for commit in (before, after))
    return history.diff(store_of(project.pk).path, first.commit, second.commit, first.path)


def blame_of(page: Page) -> list[Blamed]:
    """Each line as it is now, with who wrote it."""
    store = store_of(page.project_id)
    head = store.head()
    if head is None:
        return []
    known = {one.commit: one for one in Revision.objects.filter(project=page.project, path=page.path)}
    return [Blamed(line, known.get(line.commit)) for line in history.blame(store.path, head, page.path)]
