"""Errors that were solved: a command failed, files were changed, the same command passed.

Made from clean events only. An error is known by its last telling line without what changes from run to run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Optional

from stash_client.events import Event, ToolCall

_MOST_OPEN = 50
_MOST_OUTPUT = 20_000
_TELLING = re.compile(
    r"^.{0,40}?\b(?:[A-Z]\w*(?:Error|Exception|Warning)|error(?:\[\w+\]|\s+TS\d+)?|fatal|FAILED|panic(?:ked)?|"
    r"cannot|could not|not found|undefined|denied|refused|No such)\b.*$",
    re.MULTILINE,
)
_CHANGING = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"(?:[A-Za-z]:)?(?:~|\.{0,2})?(?:[\\/][\w.@+-]+){2,}"), "<path>"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8,}\b"), "<id>"),
    (re.compile(r"\d+(?:\.\d+)*"), "<n>"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True)
class Solved:
    """``fix``: files changed between failure and success. ``where``: native id of the session. ``shown``: the error."""

    signature: str
    shown: str
    command: str
    fix: tuple[str, ...]
    where: str
    at: str


@dataclass
class _Failure:
    signature: str
    shown: str
    changed: dict[str, None] = field(default_factory=dict)


class Lessons:
    """Feed one session's events in order; ``solved`` grows."""

    def __init__(self, native_id: str) -> None:
        self.solved: list[Solved] = []
        self._native_id = native_id
        self._open: dict[str, _Failure] = {}

    def see(self, event: Event) -> None:
        if not isinstance(event, ToolCall):
            return
        if event.family == "edit" and event.ok is not False:
            for failure in self._open.values():
                failure.changed.update(dict.fromkeys(event.paths))
        elif event.family == "shell":
            self._ran(event)

    def _ran(self, call: ToolCall) -> None:
        command = command_of(call)
        if not command:
            return
        if call.ok is False or call.exit_code:
            self._failed(command, call.output or "")
        elif call.ok:
            failure = self._open.pop(command, None)
            if failure and failure.changed:
                fix = tuple(failure.changed)[:5]
                self.solved.append(
                    Solved(failure.signature, failure.shown, command, fix, self._native_id, call.occurred_at)
                )

    def _failed(self, command: str, output: str) -> None:
        told = telling_line(output)
        if told is None or command in self._open or len(self._open) >= _MOST_OPEN:
            return
        self._open[command] = _Failure(signature(told), told)


def command_of(call: ToolCall) -> str:
    value = call.input.get("command") if isinstance(call.input, Mapping) else call.input
    if isinstance(value, (list, tuple)):
        value = " ".join(str(part) for part in value)
    return " ".join(value.split())[:300] if isinstance(value, str) else ""


def telling_line(output: str) -> Optional[str]:
    """The last line that names an error, at most 200 characters."""
    lines = _TELLING.findall(output[-_MOST_OUTPUT:])
    return lines[-1].strip()[:200] if lines else None


def signature(line: str) -> str:
    for pattern, instead in _CHANGING:
        line = pattern.sub(instead, line)
    return line.strip()


def more_than_once(solved: Iterable[Solved]) -> list[tuple[Solved, int]]:
    """(the latest of its kind, in how many sessions), most often first."""
    kinds: dict[str, dict[str, Solved]] = {}
    for one in solved:
        kinds.setdefault(one.signature, {})[one.where] = one
    often = [(max(found.values(), key=lambda s: s.at), len(found)) for found in kinds.values() if len(found) > 1]
    return sorted(often, key=lambda pair: (-pair[1], pair[0].signature))
