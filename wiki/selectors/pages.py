"""Pages of a project; ``get_page`` is the only gate to one."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from accounts.models import Project
from accounts.selectors import get_project
from stash.access import allowed, gate
from stash.actors import Actor
from stash.errors import NotFound
from wiki.content import page_path
from wiki.models import Page, PageQuerySet, Tombstone


def wiki_project(actor: Actor, slug: str) -> Project:
    """The project whose pages this actor may read. Raises NotFound."""
    project = get_project(actor, slug)
    if not allowed(actor, "wiki.read", project):
        raise NotFound()
    return project


def get_page(actor: Actor, project: Project, path: str) -> Page:
    """The page at this path. Raises NotFound alike for absent and forbidden, Invalid for what no path can be."""
    found = Page.objects.visible_to(actor).filter(project=project).select_related("project__team")
    return gate(found, path=page_path(path))


def pages(actor: Actor, project: Project, *, folder: str = "") -> PageQuerySet:
    """Without their texts, by path. ``folder``: those in and below it."""
    found = Page.objects.visible_to(actor).filter(project=project).defer("text")
    if folder.strip("/"):
        folder = folder.strip("/")
        found = found.filter(Q(folder=folder) | Q(folder__startswith=f"{folder}/"))
    return found.order_by("path")


def find_pages(actor: Actor, project: Project, words: str, *, most: int = 50) -> list[Page]:
    """Pages that hold all the words, in title, path or text."""
    found = Page.objects.visible_to(actor).filter(project=project)
    for word in words.replace("\0", "").split()[:8]:
        found = found.filter(Q(title__icontains=word) | Q(path__icontains=word) | Q(text__icontains=word))
    return list(found.order_by("-changed_at", "path")[:most])


def deleted_pages(actor: Actor, project: Project) -> QuerySet[Tombstone]:
    if not allowed(actor, "wiki.read", project):
        return Tombstone.objects.none()
    return Tombstone.objects.filter(project=project).order_by("-at", "path")
