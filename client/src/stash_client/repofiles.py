"""The files in a repository that tell colleagues and agents about Stash: planned and shown, then written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from stash_client import marker, rulefiles
from stash_client.service import Project

_BLOCK = """\
## Stash
Sessions of coding agents in this repository may be kept in Stash (project `{slug}`), once their person has agreed.
`stash status` says what is captured here and who sees it. `stash private` keeps the running session to its person,
`stash forget last` removes what came last. What stands between `<private>` and `</private>` never leaves the machine.
"""


@dataclass(frozen=True)
class Change:
    """One file. ``before``: None where there was none; ``after``: None when it goes away."""

    path: Path
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True)
class Plan:
    """``left_alone``: (path, why) of files that we do not understand well enough to touch."""

    changes: tuple[Change, ...] = ()
    left_alone: tuple[tuple[Path, str], ...] = ()


def to_connect(root: Path, *, server: str, project: Project) -> Plan:
    def mark(text: str) -> str:
        return marker.with_project(text, server=server, project=project.id, name=project.name)

    def tell(text: str) -> str:
        return rulefiles.with_block(text, _BLOCK.format(slug=project.slug))

    return _plan([(marker.path(str(root)), mark), *((path, tell) for path in rulefiles.files(root))])


def to_disconnect(root: Path) -> Plan:
    there = [(path, rulefiles.without_block) for path in rulefiles.files(root) if path.is_file()]
    ours = marker.path(str(root))
    return _plan([*([(ours, marker.without_project)] if ours.is_file() else []), *there])


def _plan(edits: Iterable[tuple[Path, Callable[[str], str]]]) -> Plan:
    changes, alone = [], []
    for path, edit in edits:
        try:
            before = _bytes(path)
            after = edit((before or b"").decode("utf-8")).encode("utf-8") or None
        except (OSError, ValueError) as fault:
            alone.append((path, str(fault)))
            continue
        if after != before:
            changes.append(Change(path, before, after))
    return Plan(tuple(changes), tuple(alone))


def _bytes(path: Path) -> bytes | None:
    if path.is_symlink() and not path.exists():
        raise ValueError("it is a link that leads nowhere")
    return path.read_bytes() if path.exists() else None


def apply(change: Change) -> None:
    """Written whole or not at all. Raises OSError, and ValueError for a file that changed since it was shown."""
    path = Path(os.path.realpath(change.path))
    if _bytes(path) != change.before:
        raise ValueError(f"{change.path.name} has changed meanwhile; nothing was written")
    if change.after is None:
        path.unlink()
        return
    partial = path.with_name(f".{path.name}.stash-{os.getpid()}")
    try:
        partial.write_bytes(change.after)
        if path.exists():
            partial.chmod(path.stat().st_mode & 0o777)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
