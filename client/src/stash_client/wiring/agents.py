"""Which agents are on this machine, and how they stand."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from stash_client.wiring import documents, files, records
from stash_client.wiring.declarations import INSTALLERS, Installer
from stash_client.wiring.declarations.base import MARK, FirstOf, OwnFile
from stash_client.wiring.edits import NotSure
from stash_client.wiring.planning import Settings
from stash_client.wiring.seen import last_seen

WIRED, PARTLY, NOT, DOUBLE, UNREADABLE, MANUAL = "wired", "partly", "not wired", "double", "unreadable", "by hand"


@dataclass(frozen=True)
class Agent:
    """``found``: the folder or program that says it is here."""

    harness: str
    label: str
    found: str


@dataclass(frozen=True)
class State:
    """``wiring``: wired, partly, not wired, double, unreadable or by hand. ``files``: those that hold it.

    ``trusted``: None where it asks nothing; False until an event came after wiring. ``seen``: its last event, in s.
    ``also``: wired agents whose settings it reads too, so that calls may come twice. ``todo``: what to do, or "".
    """

    harness: str
    wiring: str
    files: tuple[str, ...] = ()
    trusted: Optional[bool] = None
    seen: Optional[float] = None
    also: tuple[str, ...] = ()
    todo: str = ""


def detected() -> list[Agent]:
    """By their settings folders, else by their programs on the path; nothing is started."""
    found = ((installer, _sign(installer)) for installer in INSTALLERS.values())
    return [Agent(installer.harness, installer.label, sign) for installer, sign in found if sign]


def _sign(installer: Installer) -> str:
    for folder in installer.folders:
        if Path(folder).expanduser().is_dir():
            return folder
    return next((where for program in installer.programs if (where := shutil.which(program))), "")


def state(harness: str) -> State:
    installer = INSTALLERS[harness]
    serving = INSTALLERS[installer.through] if installer.through else installer
    seen = last_seen(harness)
    if not installer.is_automatic:
        todo = "" if seen else f"Connect it by hand: stash hooks show {harness}"
        return State(harness, MANUAL, seen=seen, todo=todo)
    wiring, where = _wiring(serving)
    since = records.wired_since(serving.harness)
    trusted = bool(seen and seen > (since or 0)) if installer.trust else None
    twice = [str(spot) for spot, word in serving.elsewhere if where and _mentions(spot.path, word)]
    if twice:
        todo = f"It calls Stash twice: take the calls of Stash out of {', '.join(twice)}."
        return State(harness, DOUBLE, (*where, *twice), trusted, seen, todo=todo)
    also = tuple(other for other in installer.reads if _wiring(INSTALLERS[other])[0] in (WIRED, DOUBLE))
    return State(harness, wiring, where, trusted, seen, also, _todo(installer, wiring, trusted))


def _mentions(path: Path, word: str) -> bool:
    try:
        return word.encode() in path.read_bytes()
    except OSError:
        return False


def _hindered(installer: Installer) -> str:
    if installer.hindrance is None:
        return ""
    try:
        text = documents.decoded(installer.hindrance.spot.path.read_bytes())
        return installer.hindrance.says(documents.FORMATS[installer.hindrance.format].read(text))
    except (OSError, NotSure):
        return ""


def _todo(installer: Installer, wiring: str, trusted: Optional[bool]) -> str:
    install = f"stash hooks install {installer.harness}"
    if wiring in (NOT, PARTLY, DOUBLE):
        return install
    if wiring == WIRED and (hindered := _hindered(installer)):
        return hindered
    if wiring == UNREADABLE:
        return f"Its settings could not be read surely; add the entries yourself: stash hooks show {installer.harness}"
    return installer.trust if trusted is False else ""


def _wiring(installer: Installer) -> tuple[str, tuple[str, ...]]:
    expected = has = 0
    doubled = False
    where: list[str] = []
    for part in installer.parts:
        chosen = part.chosen if isinstance(part, FirstOf) else part
        for file in part.choices if isinstance(part, FirstOf) else (part,):
            try:
                complete, count = _standing(installer, file)
            except NotSure:
                return UNREADABLE, (str(file.spot.path),)
            where += [str(file.spot.path)] if count else []
            expected += 1 if file is chosen else 0
            has += complete if file is chosen else 0
            doubled |= count > 1 if file is chosen and not complete else bool(count) and file is not chosen
    if doubled:
        doubled = _is_double(installer)
    if doubled:
        return DOUBLE, tuple(where)
    return (WIRED if has == expected else PARTLY if where else NOT), tuple(where)


def _standing(installer: Installer, file: Union[Settings, OwnFile]) -> tuple[bool, int]:
    """Whether the file holds what it should, and how many things of ours it holds."""
    path = files.real(file.spot.path)
    try:
        data = path.read_bytes()
    except OSError:
        return False, 0
    if isinstance(file, OwnFile):
        return data == file.text(installer.harness).encode("utf-8"), int(MARK.encode() in data)
    wanted = file.wanted(installer.harness)
    text = documents.decoded(data)
    return documents.is_complete(text, wanted), documents.ours_in(data, wanted)


def _is_double(installer: Installer) -> bool:
    """More calls than there are events: in one file, or in two that the agent reads."""
    calls = expected = 0
    for part in installer.parts:
        for n, file in enumerate(part.choices if isinstance(part, FirstOf) else (part,)):
            if not isinstance(file, OwnFile):
                calls += _standing(installer, file)[1]
                expected += len(file.wanted(installer.harness).entries) if n == 0 else 0
    return calls > expected
