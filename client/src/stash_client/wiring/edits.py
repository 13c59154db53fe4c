"""What all formats share: splices of text, and what they must have done to the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

Path = tuple[str, ...]
_COMMAND = re.compile(r"(?:^|[/\\\"' ])stash-hook(?:\.cmd|\.exe)?(?:$|[\"' ])")


class NotSure(Exception):
    """The file is not understood well enough to be edited; the text says where and why."""


@dataclass(frozen=True)
class Splice:
    """``text[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str

    def on(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    def inverse(self, text: str) -> Splice:
        """What takes it back; ``text`` is the one before."""
        return Splice(self.start, self.start + len(self.new), text[self.start : self.end])


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Each on the result of the one before."""
    for splice in splices:
        text = splice.on(text)
    return text


@dataclass(frozen=True)
class Entry:
    """One thing of ours: an item at the end of the list at ``path``, or the member ``key`` of the mapping there."""

    path: Path
    value: Any
    key: Optional[str] = None


@dataclass(frozen=True)
class Ours:
    """How our things are known again. ``root``: where items live; ``keys``, ``items``: members and plain items of ours.

    ``kept``: containers that were there before us: they stay, also when nothing is left in them.
    """

    root: Path = ()
    keys: frozenset[Path] = field(default_factory=frozenset)
    items: frozenset[str] = field(default_factory=frozenset)
    kept: frozenset[Path] = field(default_factory=frozenset)

    def under(self, path: Path) -> bool:
        return path[: len(self.root)] == self.root

    def owns(self, item: Any) -> bool:
        """An item of a list: a call of our hook, or one of the texts in ``items``."""
        if isinstance(item, str):
            return item in self.items
        return isinstance(item, Mapping) and any(
            calls_us(value) if isinstance(value, str) else isinstance(value, Mapping) and self.owns(value)
            for value in item.values()
        )


def calls_us(command: str) -> bool:
    return bool(_COMMAND.search(command))


def added(value: Any, entries: Sequence[Entry]) -> Any:
    """A copy of ``value`` with the entries in it. Raises NotSure where something else stands in the way."""
    whole = copied(value)
    for entry in entries:
        _add(whole, entry)
    return whole


def _add(whole: Any, entry: Entry) -> None:
    place = whole
    for depth, name in enumerate(entry.path):
        last = depth == len(entry.path) - 1
        if place.get(name) is None:
            place[name] = [] if last and entry.key is None else {}
        place = place[name]
        if not isinstance(place, list if last and entry.key is None else dict):
            raise NotSure(f"{'.'.join(entry.path[: depth + 1])} is not what it should be")
    if entry.key is None:
        place.append(entry.value)
    elif entry.key in place:
        raise NotSure(f"{'.'.join((*entry.path, entry.key))} is already there")
    else:
        place[entry.key] = entry.value


def without(value: Any, ours: Ours) -> Any:
    """A copy of ``value`` with nothing of ours in it, nor the containers that our going left empty."""
    return copied(value) if not _has_ours(value, ours, ()) else _without(value, ours, ())


def _without(value: Any, ours: Ours, path: Path) -> Any:
    if isinstance(value, dict):
        return {k: _without(v, ours, (*path, k)) for k, v in value.items() if not gone(v, ours, (*path, k))}
    if isinstance(value, list):
        return [_without(v, ours, (*path, "*")) for v in value if not gone(v, ours, (*path, "*"))]
    return value


def gone(value: Any, ours: Ours, path: Path) -> bool:
    """Whether nothing of the value at ``path`` (``*`` for an item of a list) stays once ours is taken out."""
    if path in ours.keys:
        return True
    if not ours.under(path):
        return _emptied(value, ours, path)
    if path[-1] == "*" and ours.owns(value):
        return True
    if path[-1] == "*" and isinstance(value, dict) and "hooks" in value:
        return _emptied(value["hooks"], ours, (*path, "hooks"))
    return _emptied(value, ours, path)


def _emptied(value: Any, ours: Ours, path: Path) -> bool:
    if not isinstance(value, (dict, list)) or not value or path in ours.kept:
        return False
    if isinstance(value, dict):
        return all(gone(v, ours, (*path, k)) for k, v in value.items())
    return all(gone(v, ours, (*path, "*")) for v in value)


def _has_ours(value: Any, ours: Ours, path: Path) -> bool:
    return count(value, ours, path) > 0


def count(value: Any, ours: Ours, path: Path = ()) -> int:
    """How many things of ours are in it."""
    if path in ours.keys:
        return 1
    if path and path[-1] == "*" and ours.under(path) and ours.owns(value):
        return 1
    if isinstance(value, dict):
        return sum(count(v, ours, (*path, k)) for k, v in value.items())
    if isinstance(value, list):
        return sum(count(v, ours, (*path, "*")) for v in value)
    return 0


def containers(value: Any, entries: Sequence[Entry]) -> frozenset[Path]:
    """The paths on the way to ``entries`` that are in ``value`` already."""
    found = set()
    for entry in entries:
        place = value
        for depth, name in enumerate(entry.path):
            if not isinstance(place, dict) or name not in place:
                break
            place = place[name]
            found.add(entry.path[: depth + 1])
    return frozenset(found)


def copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value
