"""A tree of plain pages, for what is about commands and not about sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from uuid import uuid4

from stash.actors import Actor
from stash.vfs.budget import Budget
from stash.vfs.shell import Outcome
from stash.vfs.shell.running import run_in
from stash.vfs.tree import File, Folder, Node, Reader

NOBODY = Actor(uuid4(), "nobody", uuid4(), "nowhere", uuid4(), "member")


class Page(File):
    modified = datetime(2026, 11, 24, tzinfo=UTC)

    def __init__(self, reader: Reader, name: str, text: str) -> None:
        super().__init__(reader, name)
        self.text = text
        self.read = 0

    def _blocks(self) -> Iterator[bytes]:
        for line in self.text.encode().splitlines(keepends=True):
            self.read += 1
            yield line


class Pages(Folder):
    """Files and folders from {path: text}."""

    def __init__(self, reader: Reader, pages: Mapping[str, str], name: str = "") -> None:
        super().__init__(reader, name)
        below: dict[str, dict[str, str]] = {}
        self.nodes: dict[str, Node] = {}
        for path, text in pages.items():
            first, _, rest = path.strip("/").partition("/")
            if rest:
                below.setdefault(first, {})[rest] = text
            else:
                self.nodes[first] = Page(reader, first, text)
        self.nodes |= {first: Pages(reader, inside, first) for first, inside in below.items()}

    def _entries(self, prefix: str) -> Iterator[Node]:
        yield from (self.nodes[name] for name in sorted(self.nodes))


def over(pages: Mapping[str, str], line: str, *, cwd: str = "/", budget: Budget | None = None) -> Outcome:
    reader = Reader(NOBODY, budget or Budget())
    return run_in(Pages(reader, pages), reader, line, cwd=cwd)
