"""``workspace.yaml`` beside a session's events: flat, one ``key: value`` a line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_FIELD = re.compile(r"^([a-z_]{1,40}): ?(.*)$")
_BLOCK = frozenset({"|", "|-", ">", ">-"})
_MOST_BYTES = 64 * 1024


def facts_beside(path: str) -> Mapping[str, str]:
    """Title, folder and branch as arguments of ``Reader.enter``; {} without the file."""
    fields = _fields(os.path.join(os.path.dirname(path), "workspace.yaml"))
    names = {"title": "summary", "cwd": "cwd", "branch": "branch"}
    return {ours: fields[theirs] for ours, theirs in names.items() if fields.get(theirs)}


def _fields(path: str) -> Mapping[str, str]:
    try:
        with open(path, "rb") as file:
            lines = file.read(_MOST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    found = {}
    for i, line in enumerate(lines):
        field = _FIELD.match(line)
        if field:
            value = field.group(2).strip()
            following = lines[i + 1].strip() if i + 1 < len(lines) else ""
            found[field.group(1)] = following if value in _BLOCK else _bare(value)
    return found


def _bare(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else "" if value in ("null", "~") else value
