"""Settings in TOML: a list of tables grows at the end of the file, under a comment that says whose they are, and our
tables are taken out as whole blocks of lines.
"""

from __future__ import annotations

import json
import re
from typing import Any

from stash_client.toml import Document, Malformed, Table, parse, quoted
from stash_client.wiring.edits import Entry, NotSure, Ours, Splice, gone

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None  # type: ignore[assignment]

MARK = "# Stash: added by `stash hooks install`, removed by `stash hooks uninstall`."
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str) -> object:
    """The plain value; dates and other rare scalars as ``("raw", text)``. Raises NotSure, also where Python itself
    does not read it."""
    if tomllib is not None:
        try:
            tomllib.loads(text.lstrip("\ufeff"))
        except ValueError as error:
            raise NotSure(str(error)) from None
    return _parsed(text).value


def _parsed(text: str) -> Document:
    try:
        return parse(text)
    except Malformed as fault:
        raise NotSure(str(fault)) from None


def insert(text: str, entry: Entry) -> list[Splice]:
    """A table at the end of the file. Raises NotSure where the name holds something else."""
    found = _parsed(text)
    if entry.key is not None or not _can_grow(found, entry.path):
        raise NotSure(f"{'.'.join(entry.path)} is not written as [[{'.'.join(entry.path)}]]")
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    lines = [MARK, f"[[{'.'.join(_key(part) for part in entry.path)}]]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in entry.value.items()]
    before = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    return [Splice(len(text), len(text), before + newline.join(lines) + newline)]


def removal(text: str, ours: Ours) -> list[Splice]:
    """The splices that take out one table of ours, none when there is nothing left."""
    found = _parsed(text)
    for table in found.tables:
        if table.is_item and gone(table.value, ours, (*table.path, "*")):
            return [_cut(text, found, table)]
    return []


def _can_grow(found: Document, path: tuple[str, ...]) -> bool:
    if any(table.is_item and table.path == path for table in found.tables):
        return True
    place: Any = found.value
    for name in path:
        if not isinstance(place, dict):
            return False
        if name not in place:
            return True
        place = place[name]
    return False


def _cut(text: str, found: Document, table: Table) -> Splice:
    """With our comment above it and the empty line above that."""
    if any(t is not table and t.path[: len(table.path)] == table.path and not t.is_item for t in found.tables):
        raise NotSure(f"[[{'.'.join(table.path)}]] has tables below it")
    start = _line_before(text, table.start, MARK)
    return Splice(_line_before(text, start, ""), table.end, "")


def _line_before(text: str, at: int, line: str) -> int:
    """Where the line above ``at`` begins if it is ``line``, else ``at``."""
    start = text.rfind("\n", 0, max(at - 1, 0)) + 1 or int(text.startswith("\ufeff"))
    return start if start < at and text[start:at].strip() == line else at


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else quoted(name)


def _value(value: Any) -> str:
    if isinstance(value, (bool, int)):
        return json.dumps(value)
    if isinstance(value, str) and "\x7f" not in value:
        return json.dumps(value, ensure_ascii=False)
    raise NotSure("a value that cannot be written")
