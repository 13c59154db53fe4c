"""/projects: those the reader may see, each with what it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from accounts.models import Project
from accounts.selectors import get_project
from sessions_app.selectors.filing import Shelf
from stash.errors import NotFound
from stash.vfs.mounts.sessions import Sessions
from stash.vfs.tree import Folder, Node, Reader

_MOST = 2000


def _sessions(reader: Reader, project: Project) -> Node:
    return Sessions(reader, "sessions", Shelf(project=project.pk))


IN_PROJECT: Mapping[str, Callable[[Reader, Project], Node]] = {"sessions": _sessions}
"""What every project holds, by name."""


class Projects(Folder):
    def _entries(self, prefix: str) -> Iterator[Node]:
        found = Project.objects.visible_to(self.reader.actor).filter(slug__startswith=prefix)
        projects = sorted(found.order_by("pk")[:_MOST], key=lambda project: project.slug)
        self.reader.budget.read(rows=len(projects))
        for project in projects:
            yield ProjectFolder(self.reader, project)

    def entry(self, name: str) -> Node | None:
        """Also by a slug it had before: what was written down still leads there."""
        try:
            return ProjectFolder(self.reader, get_project(self.reader.actor, name))
        except NotFound:
            return None


class ProjectFolder(Folder):
    def __init__(self, reader: Reader, project: Project) -> None:
        super().__init__(reader, project.slug)
        self.project, self.modified = project, project.created_at

    def _entries(self, prefix: str) -> Iterator[Node]:
        for make in IN_PROJECT.values():
            yield make(self.reader, self.project)
