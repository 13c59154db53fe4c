"""What would change, before anything does; and doing exactly that."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional, Union

from stash_client.wiring import documents, files, records
from stash_client.wiring.declarations import INSTALLERS, Installer
from stash_client.wiring.declarations.base import MARK, ConfigFile, FirstOf, HookFile, OwnFile, Part
from stash_client.wiring.edits import NotSure
from stash_client.wiring.records import Record

Settings = Union[HookFile, ConfigFile]


class ByHand(Exception):
    """A file was left alone. ``path``: which; the text says why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} was left alone: {why}.")
        self.path, self.why = path, why


class Overtaken(Exception):
    """Somebody else wrote the file between the plan and the deed; nothing of theirs was touched."""


@dataclass(frozen=True)
class Change:
    """One file. ``before``/``after``: its bytes, None where it is not there. ``path`` is the real file, behind links.
    ``record``: what to remember of it afterwards, None to forget it."""

    path: Path
    before: Optional[bytes]
    after: Optional[bytes]
    why: str
    executable: bool = False
    record: Optional[Record] = None

    def diff(self) -> str:
        """As a unified diff; the name of the file where it is not text."""
        old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (self.before, self.after))
        name = str(self.path)
        names = [name if data is not None else "/dev/null" for data in (self.before, self.after)]
        return "\n".join(difflib.unified_diff(old, new, names[0], names[1], lineterm=""))


def plan(harness: str) -> list[Change]:
    """What wiring the agent changes, [] when it is wired as it should be. Raises ByHand, for the whole agent."""
    return plan_of(_serving(INSTALLERS[harness]))


def plan_of(installer: Installer) -> list[Change]:
    known = records.load()
    changes = []
    for part in installer.parts:
        chosen = part.chosen if isinstance(part, FirstOf) else part
        for file in _alternatives(part):
            if file is not chosen:
                changes.append(_removal(installer, file, known, files.real(file.spot.path)))
        changes.append(_own(installer, chosen, known) if isinstance(chosen, OwnFile) else _in(installer, chosen, known))
    return [change for change in changes if change is not None]


def removal(harness: str) -> list[Change]:
    """What taking our entries out changes, also where its folder was moved since. Raises ByHand."""
    return removal_of(_serving(INSTALLERS[harness]))


def removal_of(installer: Installer) -> list[Change]:
    known = records.load()
    parts = [file for part in reversed(installer.parts) for file in _alternatives(part)]
    places = [(file, files.real(file.spot.path)) for file in parts]
    usual = {str(path) for _, path in places}
    moved = [Path(name) for name, one in known.items() if one.harness == installer.harness and name not in usual]
    places += [(file, path) for path in moved for file in parts if file.spot.path.name == path.name]
    changes = [_removal(installer, file, known, path) for file, path in places]
    return [change for change in changes if change is not None]


def apply(changes: Sequence[Change]) -> None:
    """Each file whole or not at all, after a copy of it was kept. Raises Overtaken, OSError; what was done stays
    remembered. The hook itself is there before anything calls it."""
    if any(change.after is not None for change in changes):
        from stash_client import hookscript  # knows every parser: too slow to start with for those who only look

        hookscript.write()
    known = records.load()
    try:
        for change in changes:
            _apply(change, known)
    finally:
        records.save(known)


def _serving(installer: Installer) -> Installer:
    return INSTALLERS[installer.through] if installer.through else installer


def _alternatives(part: Part) -> Iterator[Union[Settings, OwnFile]]:
    if isinstance(part, FirstOf):
        yield from part.choices
    else:
        yield part


def _in(installer: Installer, file: Settings, known: dict[str, Record]) -> Optional[Change]:
    path = files.real(file.spot.path)
    record = known.get(str(path))
    try:
        before = files.read(path)
        after, made = documents.installed(before, file.wanted(installer.harness), record)
    except NotSure as error:
        raise ByHand(path, str(error)) from None
    if after == before:
        return None
    kept = replace(made, harness=installer.harness, folders=record.folders if record else ())
    return Change(path, before, after, f"{installer.label} calls Stash", record=kept)


def _own(installer: Installer, file: OwnFile, known: dict[str, Record]) -> Optional[Change]:
    path = files.real(file.spot.path)
    after = file.text(installer.harness).encode("utf-8")
    before = _read(path)
    if before == after:
        return None
    _must_be_ours(path, before, known.get(str(path)))
    record = Record(installer.harness, records.digest(after), created=True)
    return Change(path, before, after, f"{installer.label} calls Stash", file.executable, record)


def _removal(
    installer: Installer, file: Union[Settings, OwnFile], known: dict[str, Record], path: Path
) -> Optional[Change]:
    before, record = _read(path), known.get(str(path))
    if before is None:
        return None
    if isinstance(file, OwnFile):
        if record is None and MARK.encode() not in before:
            return None
        _must_be_ours(path, before, record)
        after = None
    else:
        after = _taken(installer, file, path, before, record)
        if after == before and record is None:
            return None
    return Change(path, before, after, f"{installer.label} no longer calls Stash")


def _taken(
    installer: Installer, file: Settings, path: Path, before: bytes, record: Optional[Record]
) -> Optional[bytes]:
    wanted = file.wanted(installer.harness)
    try:
        if record is None and not documents.ours_in(before, wanted):
            return before
        return documents.removed(before, wanted, record)
    except NotSure as error:
        raise ByHand(path, str(error)) from None


def _read(path: Path) -> Optional[bytes]:
    try:
        return files.read(path)
    except NotSure as error:
        raise ByHand(path, str(error)) from None


def _must_be_ours(path: Path, data: Optional[bytes], record: Optional[Record]) -> None:
    """A file that is ours as a whole is not touched once somebody changed it."""
    if data is None or (record is not None and record.digest == records.digest(data)):
        return
    if MARK.encode() not in data:
        raise ByHand(path, "another file of that name is there")
    if record is not None:
        raise ByHand(path, "it was changed by hand")


def _apply(change: Change, known: dict[str, Record]) -> None:
    if _read(change.path) != change.before:
        raise Overtaken(f"{change.path} was just changed by somebody else. Try again.")
    name = str(change.path)
    old = known.get(name)
    if change.before != change.after:
        files.back_up(change.path)
    if change.after is None:
        files.remove(change.path, old.folders if old else ())
    elif change.after != change.before:
        made = files.write(change.path, change.after, executable=change.executable)
        if change.record is not None:
            folders = made or (old.folders if old else ())
            known[name] = replace(change.record, at=time.time(), folders=folders)
    if change.record is None:
        known.pop(name, None)
