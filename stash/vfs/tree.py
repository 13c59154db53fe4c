"""Nodes: what is at a path, for one reader. A folder asks the database only when it is listed, and only for the names
that are wanted; a file renders only as far as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from stash.actors import Actor
from stash.vfs.budget import Budget

LONGEST_NAME = 255
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass
class Reader:
    """Who reads, and what it may still cost; ``opened``: sessions whose reading has been noted."""

    actor: Actor
    budget: Budget = field(default_factory=Budget)
    opened: set[UUID] = field(default_factory=set)


class Node:
    """``home``: where the same thing is also found, when this is not its first place; a search from above skips it.

    ``derived``: says again what another file says, so searches skip it unless it is named.
    """

    is_folder = False
    home = ""
    derived = False
    modified = LONG_AGO

    def __init__(self, reader: Reader, name: str) -> None:
        self.reader, self.name = reader, name


class Folder(Node):
    """``known``: nodes that a path or a pattern has led to; the next command of the line asks no database for them."""

    is_folder = True

    def __init__(self, reader: Reader, name: str) -> None:
        super().__init__(reader, name)
        self.known: dict[str, Node] = {}

    def entries(self, prefix: str = "") -> Iterator[Node]:
        """By name, those that begin with ``prefix``."""
        if len(prefix) > LONGEST_NAME:
            return
        for node in self._entries(prefix):
            if self.reader.budget.over():
                return
            if node.name.startswith(prefix):
                yield node

    def entry(self, name: str) -> Node | None:
        """None for what is not there and for what this reader may not see."""
        return next((node for node in self.entries(name) if node.name == name), None)

    def _entries(self, prefix: str) -> Iterator[Node]:
        raise NotImplementedError


class File(Node):
    def blocks(self) -> Iterator[bytes]:
        """The bytes in pieces that end at line ends; it ends early when the budget does."""
        for block in self._blocks():
            if self.reader.budget.over():
                return
            self.reader.budget.read(size=len(block))
            if block:
                yield block

    def may_hold(self, needle: str, *, fold: bool) -> bool:
        """False only when no line of it contains these letters; asked before it is read."""
        return True

    def size(self) -> int:
        return sum(len(block) for block in self.blocks())

    def _blocks(self) -> Iterator[bytes]:
        raise NotImplementedError


def normal(path: str, cwd: str = "/") -> str:
    """Absolute, without ``.`` and ``..``; ``..`` at the root stays there."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{cwd}/{path}").split("/"):
        if part == "..":
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def find(root: Folder, path: str) -> Node | None:
    """The node at a normal path."""
    node: Node | None = root
    for part in filter(None, path.split("/")):
        node = child(node, part)
    return node


def child(node: Node | None, name: str) -> Node | None:
    """No database is asked twice, nor for a name that nothing can have."""
    if not isinstance(node, Folder) or len(name) > LONGEST_NAME:
        return None
    if name not in node.known and (found := node.entry(name)) is not None:
        node.known[name] = found
    return node.known.get(name)
