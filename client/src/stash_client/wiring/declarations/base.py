"""What an installer is: data about files, events and shapes. Nothing here touches a disk, except to see what exists."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Union

from stash_client.wiring import edits
from stash_client.wiring.commands import ARGV, CMD, SH, hook_path, quoted
from stash_client.wiring.documents import Wanted
from stash_client.wiring.edits import Entry, Ours

READ, TOLD, GUESSED = "read", "told", "guessed"
"""In its source or documentation; by a second-hand source that was tested against it; by analogy."""


@dataclass(frozen=True)
class Spot:
    """A file of the person's. ``env``: the variable that moves ``base``; ``windows``: ``base`` there."""

    base: str
    name: str = ""
    env: str = ""
    windows: str = ""

    @property
    def path(self) -> Path:
        base = self.windows if self.windows and sys.platform == "win32" else self.base
        moved = os.environ.get(self.env, "") if self.env else ""
        if moved and self.env == "XDG_CONFIG_HOME":
            moved = os.path.join(moved, os.path.relpath(self.base, "~/.config"))
        return Path(os.path.expandvars(os.path.expanduser(moved or base))).joinpath(*filter(None, [self.name]))

    def __str__(self) -> str:
        return f"{self.base}/{self.name}" if self.name else self.base


def nested(file: HookFile, event: str, command: str) -> Any:
    """Groups with a matcher, handlers in them: Claude Code's shape, and of those who took it over."""
    handler = {"type": "command", "command": command, **file.limit()}
    matcher = file.events[event]
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}


def flat(file: HookFile, event: str, command: str) -> Any:
    """The handler itself, one for each event."""
    matcher = file.events[event]
    return {"command": command, **({"matcher": matcher} if matcher else {}), **file.limit(), **file.extra}


@dataclass(frozen=True)
class HookFile:
    """A settings file that takes hook commands. ``events``: each with its matcher or "". ``timeout`` is in the unit
    of the agent (``unit``), None leaves its own. ``root``: where the map of events stands, or, with ``listed``, one
    list for all of them. ``skeleton``: a file of its own before our entries."""

    spot: Spot
    events: Mapping[str, str]
    shape: Callable[[HookFile, str, str], Any] = nested
    timeout: Optional[int] = 10
    unit: str = "s"
    timeout_key: str = "timeout"
    root: edits.Path = ("hooks",)
    listed: bool = False
    format: str = "json"
    skeleton: str = "{}\n"
    shell: str = SH
    windows_shell: str = CMD
    harmless: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    def limit(self) -> dict[str, int]:
        return {} if self.timeout is None else {self.timeout_key: self.timeout}

    def wanted(self, harness: str) -> Wanted:
        entries = []
        for event in self.events:
            value = self.shape(self, event, self.command(harness, event))
            entries.append(Entry(self.root if self.listed else (*self.root, event), value))
        return Wanted(self.format, tuple(entries), Ours(self.root), self.skeleton)

    def command(self, harness: str, event: str) -> str:
        manner = self.windows_shell if sys.platform == "win32" and self.shell != ARGV else self.shell
        return quoted(str(hook_path()), [harness, event], manner, harmless=self.harmless)


@dataclass(frozen=True)
class ConfigFile:
    """A settings file that takes something other than commands: members of ours, known by their names."""

    spot: Spot
    entries: tuple[Entry, ...]
    format: str = "json"
    skeleton: str = "{}\n"

    def wanted(self, harness: str) -> Wanted:
        keys = frozenset((*entry.path, entry.key) for entry in self.entries if entry.key is not None)
        return Wanted(self.format, self.entries, Ours(("\0",), keys), self.skeleton)


@dataclass(frozen=True)
class OwnFile:
    """A file that is ours as a whole. ``text``: its content, given the harness; it holds ``MARK``."""

    spot: Spot
    text: Callable[[str], str]
    executable: bool = False


@dataclass(frozen=True)
class Hindrance:
    """What may keep wired hooks from running. ``says``: in words, of the parsed file at ``spot``, "" if nothing."""

    spot: Spot
    format: str
    says: Callable[[Any], str]


def within(value: Any, *names: str) -> Any:
    """The value at that path, None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


MARK = "Stash: written by `stash hooks install`"


@dataclass(frozen=True)
class FirstOf:
    """Alternatives: the first file that exists already, else the last."""

    choices: tuple[HookFile, ...]

    @property
    def chosen(self) -> HookFile:
        return next((file for file in self.choices if file.spot.path.exists()), self.choices[-1])


Part = Union[HookFile, ConfigFile, OwnFile, FirstOf]


@dataclass(frozen=True)
class Installer:
    """How one agent is wired.

    ``folders``, ``programs``: either says that it is installed. ``parts``: what is written; empty: by hand only.
    ``hooks_sure``: how well its files and their shapes are known, ``sends_sure``: what its hooks send.
    ``trust``: what its person must approve, "" if nothing. ``reads``: harnesses whose settings it reads as well.
    ``through``: the harness whose files serve it. ``notes``, ``by_hand``: for the person.
    ``elsewhere``: other files it reads, and the word that says that somebody put us in there too.
    ``hindrance``: a setting of its person that keeps the hooks from running.
    ``mcp``: file and place for a server, for later.
    """

    harness: str
    label: str
    folders: tuple[str, ...]
    programs: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    hooks_sure: str = READ
    sends_sure: str = READ
    trust: str = ""
    reads: tuple[str, ...] = ()
    through: str = ""
    notes: tuple[str, ...] = ()
    elsewhere: tuple[tuple[Spot, str], ...] = ()
    by_hand: str = ""
    hindrance: Optional[Hindrance] = None
    mcp: str = ""

    @property
    def is_automatic(self) -> bool:
        return bool(self.parts or self.through)

    def hook_file(self) -> Optional[HookFile]:
        for part in self.parts:
            file = part.chosen if isinstance(part, FirstOf) else part
            if isinstance(file, HookFile):
                return file
        return None


def each(*events: str, matcher: str = "", tools: tuple[str, ...] = ()) -> dict[str, str]:
    """Events without a matcher, except for ``tools``."""
    return {event: matcher if event in tools else "" for event in events}
