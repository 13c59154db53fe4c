"""Going down a tree: what is listed, what is passed over, in the order of names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from stash.vfs.tree import Folder, Node, normal

MOST_DEEP = 64


class Met(NamedTuple):
    """``path`` as it is shown: it begins with what was typed."""

    path: str
    node: Node
    depth: int = 0


def joined(path: str, name: str) -> str:
    return path + name if path.endswith("/") else f"{path}/{name}"


def walk(met: Met, *, deepest: int = MOST_DEEP, enter: Callable[[Met], bool] = lambda met: True) -> Iterator[Met]:
    """The node and all below it, each folder before what is in it."""
    yield met
    if isinstance(met.node, Folder) and met.depth < deepest and enter(met):
        for node in met.node.entries():
            yield from walk(Met(joined(met.path, node.name), node, met.depth + 1), deepest=deepest, enter=enter)


def is_elsewhere(node: Node, path: str, start: str) -> bool:
    """Whether a search from ``start`` (both absolute) finds the same thing at its first place, too."""
    above = start if start.endswith("/") else f"{start}/"
    return bool(node.home) and normal(node.home) != path and f"{node.home}/".startswith(above)
