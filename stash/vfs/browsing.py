"""What the page of a place shows: the way there, the folders beside it, what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from django.urls import reverse

from sessions_app.models import Session
from sessions_app.rendering.text import shown
from stash.actors import Actor
from stash.errors import NotFound
from stash.vfs.mounts import root_of
from stash.vfs.tree import File, Folder, Node, Reader, child, normal

_MOST_BESIDE, _MOST_INSIDE, _PREVIEW = 100, 500, 100_000


@dataclass
class Branch:
    """A folder in the tree; ``inside`` only where the way leads on."""

    name: str
    url: str
    current: bool = False
    inside: list[Branch] = field(default_factory=list)


@dataclass
class Place:
    """``rows``: what a folder holds; ``text``: how a file begins."""

    path: str
    crumbs: list[Branch]
    tree: list[Branch]
    is_folder: bool
    rows: list[tuple[Node, str]] = field(default_factory=list)
    more: bool = False
    text: str = ""
    session: Session | None = None


def place(actor: Actor, path: str) -> Place:
    """Raises NotFound alike for what is not there and what is not this actor's to see."""
    reader = Reader(actor)
    way: list[Node] = [root_of(reader)]
    names = [name for name in normal(path).split("/") if name]
    for name in names:
        node = child(way[-1], name)
        if node is None:
            raise NotFound
        way.append(node)
    crumbs = [Branch(node.name, url_of(actor, names[:depth])) for depth, node in enumerate(way)]
    crumbs[-1].current = True
    found = Place("/" + "/".join(names), crumbs, _tree(actor, way, names), way[-1].is_folder)
    found.session = next((node.session for node in reversed(way) if hasattr(node, "session")), None)
    _fill(found, actor, way[-1], names)
    return found


def url_of(actor: Actor, names: list[str]) -> str:
    if not names:
        return reverse("files:root", args=[actor.team_slug])
    return reverse("files:place", args=[actor.team_slug, "/".join(names)])


def _fill(found: Place, actor: Actor, node: Node, names: list[str]) -> None:
    if isinstance(node, Folder):
        nodes = list(islice(node.entries(), _MOST_INSIDE + 1))
        found.more = len(nodes) > _MOST_INSIDE
        found.rows = [(one, url_of(actor, [*names, one.name])) for one in nodes[:_MOST_INSIDE]]
    elif isinstance(node, File):
        text, found.more = _beginning(node.blocks())
        found.text = shown(text)


def _beginning(blocks: Iterator[bytes]) -> tuple[str, bool]:
    """(whole lines up to a length, whether there is more)."""
    kept = bytearray()
    for block in blocks:
        kept += block
        if len(kept) > _PREVIEW:
            return kept[: kept.rfind(b"\n", 0, _PREVIEW) + 1 or _PREVIEW].decode("utf-8", "replace"), True
    return kept.decode("utf-8", "replace"), False


def _tree(actor: Actor, way: list[Node], names: list[str]) -> list[Branch]:
    """The folders along the way, each with those beside it."""
    top: list[Branch] = []
    level = top
    for depth, node in enumerate(way):
        if not isinstance(node, Folder):
            break
        folders = [one for one in islice(node.entries(), _MOST_INSIDE) if one.is_folder]
        following = names[depth] if depth < len(names) else None
        opened = None
        for one in folders[:_MOST_BESIDE]:
            is_here = one.name == following and depth + 1 == len(names)
            branch = Branch(one.name, url_of(actor, [*names[:depth], one.name]), is_here)
            level.append(branch)
            opened = branch if one.name == following else opened
        if opened is None:
            break
        level = opened.inside
    return top
