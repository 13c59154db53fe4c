"""One settings file with and without our entries: bytes in, bytes out, and proof that nothing else differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Optional

from stash_client.wiring import jsonc, records, toml, yaml
from stash_client.wiring.edits import Entry, NotSure, Ours, Splice, added, containers, copied, count, spliced, without
from stash_client.wiring.records import Record

FORMATS: dict[str, ModuleType] = {"json": jsonc, "toml": toml, "yaml": yaml}
_COMMENTS = ("//", "/*", "#")


@dataclass(frozen=True)
class Wanted:
    """``skeleton``: what a file of its own must hold besides, as text; it is also what an empty file becomes."""

    format: str
    entries: tuple[Entry, ...]
    ours: Ours
    skeleton: str = ""

    @property
    def read(self) -> Any:
        return FORMATS[self.format].read


def decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotSure("it is not UTF-8") from None


def installed(data: Optional[bytes], wanted: Wanted, record: Optional[Record]) -> tuple[bytes, Record]:
    """The file with exactly our entries of today in it, and what to remember. ``data`` is None where there is none.

    A file that has them already stays as it is. Raises NotSure.
    """
    if data is not None and record is not None and is_complete(decoded(data), wanted):
        return data, record
    base, created = _base(data, wanted, record)
    filled = Splice(0, len(base), wanted.skeleton) if not base.strip("\ufeff \t\r\n") else None
    text = filled.on(base) if filled else base
    undo = [filled.inverse(base)] if filled else []
    start = text
    for entry in wanted.entries:
        for splice in FORMATS[wanted.format].insert(text, entry):
            undo.append(splice.inverse(text))
            text = splice.on(text)
    _prove(_normal(wanted.read(text)), _normal(added(wanted.read(start), wanted.entries)))
    kept = containers(wanted.read(start), wanted.entries)
    after = text.encode("utf-8")
    made = Record("", records.digest(after), tuple(reversed(undo)), created, kept=tuple(sorted(kept)))
    return after, made


def removed(data: bytes, wanted: Wanted, record: Optional[Record]) -> Optional[bytes]:
    """The file without anything of ours, None when it should not be there at all. Raises NotSure."""
    text, created = _base(data, wanted, record)
    return None if created and _says_nothing(text, wanted) else text.encode("utf-8")


def is_complete(text: str, wanted: Wanted) -> bool:
    """Whether each entry is in it once, as it would be written today, and nothing else of ours is."""
    try:
        value = wanted.read(text)
        bare = without(value, wanted.ours)
    except NotSure:
        return False
    whole = _normal(value)
    if count(value, wanted.ours) != len(wanted.entries):
        return False
    return all(_holds(whole, entry) for entry in wanted.entries) and bare is not None


def ours_in(data: bytes, wanted: Wanted) -> int:
    """How many things of ours are in the file. Raises NotSure."""
    text = decoded(data)
    if not text.strip("\ufeff \t\r\n"):
        return 0
    value = wanted.read(text)
    return count(value, _ours(value, wanted, None))


def _base(data: Optional[bytes], wanted: Wanted, record: Optional[Record]) -> tuple[str, bool]:
    """The file as it would be without us, and whether it would not be there."""
    if data is None:
        return "", True
    text = decoded(data)
    if record is not None and record.digest == records.digest(data):
        text = spliced(text, record.undo)
    return _without_ours(text, wanted, record), bool(record and record.created)


def _ours(value: Any, wanted: Wanted, record: Optional[Record]) -> Ours:
    """A member of our name that nobody remembers is ours only if it says what we would have said."""
    kept = frozenset(record.kept if record else ())
    named = (entry for entry in wanted.entries if entry.key is not None)
    keys = frozenset((*entry.path, str(entry.key)) for entry in named if record or _holds(_normal(value), entry))
    return Ours(wanted.ours.root, keys, wanted.ours.items, kept)


def _without_ours(text: str, wanted: Wanted, record: Optional[Record]) -> str:
    if not text.strip("\ufeff \t\r\n"):
        return text
    before = wanted.read(text)
    ours = _ours(before, wanted, record)
    for _ in range(count(before, ours) + 1):
        splices = FORMATS[wanted.format].removal(text, ours)
        if not splices:
            break
        text = spliced(text, splices)
    _prove(_normal(wanted.read(text)), _normal(without(before, ours)))
    return text


def _prove(found: Any, expected: Any) -> None:
    if found != expected:
        raise NotSure("the edit would have changed more than our own entries")


def _normal(value: Any) -> Any:
    """For comparing: YAML has texts where others have numbers, and one nothing for all that is empty."""
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()} or None
    if isinstance(value, list):
        return [_normal(item) for item in value] or None
    return value if isinstance(value, (str, tuple, bool)) or value is None else str(value)


def _holds(value: Any, entry: Entry) -> bool:
    for name in entry.path:
        value = value.get(name) if isinstance(value, dict) else None
    wanted = _normal(copied(entry.value))
    if entry.key is not None:
        return isinstance(value, dict) and value.get(entry.key) == wanted
    return isinstance(value, list) and value.count(wanted) == 1


def _says_nothing(text: str, wanted: Wanted) -> bool:
    if any(mark in text for mark in _COMMENTS):
        return False
    if not text.strip("\ufeff \t\r\n"):
        return True
    skeleton = _normal(wanted.read(wanted.skeleton)) if wanted.skeleton else None
    return _normal(wanted.read(text)) in (None, skeleton)


def example(entries: Sequence[Entry], format_: str, skeleton: str) -> str:
    """The entries as a file of their own: what to add by hand."""
    text = skeleton
    for entry in entries:
        text = spliced(text, FORMATS[format_].insert(text, entry))
    return text
