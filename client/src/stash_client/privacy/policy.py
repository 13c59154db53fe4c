"""What a team or a repository wants left out: ``[capture]`` of ``.stash.toml``.

``ignore``: globs of paths; what a tool did with such a file keeps the tool's name and the number of paths, nothing
else. ``prompts = false``, ``output = false``: these texts are not taken. Anything malformed means metadata only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from ..events import (
    JSON,
    Activity,
    Attention,
    Compaction,
    Event,
    Note,
    Notification,
    Prompt,
    Reply,
    SessionInfo,
    Subagent,
    Thinking,
    ToolCall,
    TurnEnd,
)  # fmt: skip

IGNORED = "[ignored]"
_MAX_GLOBS, _MAX_GLOB = 200, 256
_PATH_WORD = re.compile(r"[^\s\"'`;&|()<>=,:]{1,512}")
_TEXTS: dict[type[Event], dict[str, Any]] = {
    Prompt: {"text": "", "attachments": ()},
    Reply: {"text": ""},
    Thinking: {"text": ""},
    ToolCall: {"input": None, "output": None, "diff": None},
    TurnEnd: {"text": ""},
    Attention: {"text": "", "command": None},
    Compaction: {"text": ""},
    Subagent: {"task": "", "text": ""},
    Notification: {"text": ""},
    Note: {"text": ""},
    Activity: {"text": ""},
}


@dataclass(frozen=True)
class Policy:
    """``metadata_only``: names, kinds, times and numbers, no text."""

    ignore: tuple[str, ...] = ()
    prompts: bool = True
    output: bool = True
    metadata_only: bool = False

    @classmethod
    def from_mapping(cls, mapping: object) -> Policy:
        """The ``[capture]`` table, or what travelled as ``session.policy``; None and ``{}`` capture everything."""
        if mapping is None:
            return OPEN
        if not isinstance(mapping, Mapping) or not _well_formed(mapping):
            return METADATA_ONLY
        return cls(
            tuple(mapping.get("ignore", ())),
            mapping.get("prompts", True),
            mapping.get("output", True),
            mapping.get("metadata_only", False),
        )

    def to_mapping(self) -> dict[str, JSON]:
        """What ``from_mapping`` reads; only what differs from OPEN."""
        full = {
            "ignore": list(self.ignore),
            "prompts": self.prompts,
            "output": self.output,
            "metadata_only": self.metadata_only,
        }
        return {
            key: value for key, value in full.items() if value != {"ignore": [], "metadata_only": False}.get(key, True)
        }

    def ignores(self, path: str) -> bool:
        """Whether a path, relative or absolute, lies under one of the globs."""
        return bool(self.ignore) and any(_matches(glob, path) for glob in self.ignore)

    def mentions_ignored(self, text: str) -> bool:
        """Whether a word of a command or of a line of output is such a path."""
        return any(self.ignores(word.group()) for word in _PATH_WORD.finditer(text) if word.group() not in (".", "/"))


OPEN = Policy()
METADATA_ONLY = Policy((), False, False, True)


def stricter(a: Policy, b: Policy) -> Policy:
    """What both allow."""
    return Policy(
        tuple(dict.fromkeys((*a.ignore, *b.ignore))),
        a.prompts and b.prompts,
        a.output and b.output,
        a.metadata_only or b.metadata_only,
    )


def _well_formed(mapping: Mapping[Any, Any]) -> bool:
    globs = mapping.get("ignore", ())
    return (
        set(mapping) <= {"ignore", "prompts", "output", "metadata_only"}
        and all(isinstance(mapping.get(key, True), bool) for key in ("prompts", "output", "metadata_only"))
        and isinstance(globs, (list, tuple))
        and len(globs) <= _MAX_GLOBS
        and all(isinstance(glob, str) and 0 < len(glob) <= _MAX_GLOB and glob.strip("/ ") for glob in globs)
    )


@lru_cache(maxsize=16384)
def _matches(glob: str, path: str) -> bool:
    """As in .gitignore: without a slash any part may match, with one the glob starts at some folder."""
    parts = [part for part in path.replace("\\", "/").split("/") if part and part != "."][-64:]
    wanted = [part for part in glob.replace("\\", "/").split("/") if part and part != "."]
    if len(wanted) == 1:
        return any(fnmatchcase(part, wanted[0]) for part in parts)
    return any(_from_here(wanted, parts[start:]) for start in range(len(parts)))


def _from_here(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the glob's parts match the first parts of the path; ``**`` stands for any number of them."""
    reached = {0}
    for want in wanted:
        if want == "**":
            reached = set(range(min(reached, default=0), len(parts) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], want)}
    return bool(reached)


def apply(event: Event, policy: Policy) -> Event:
    """The event without what the policy leaves out."""
    if policy == OPEN:
        return event
    if policy.metadata_only:
        return _bare(event)
    if isinstance(event, Prompt):
        return _prompt(event, policy)
    if isinstance(event, ToolCall):
        return _tool_call(event, policy)
    if isinstance(event, Attention) and event.command and policy.mentions_ignored(event.command):
        return replace(event, command=IGNORED, text="")
    if isinstance(event, Activity) and policy.mentions_ignored(event.text):
        return replace(event, text="")
    return event


def apply_to_session(session: SessionInfo, policy: Policy) -> SessionInfo:
    """A title comes from what a person typed."""
    return session if policy.prompts and not policy.metadata_only else replace(session, title=None)


def _bare(event: Event) -> Event:
    blank = dict(_TEXTS.get(type(event), {}))
    if isinstance(event, ToolCall):
        blank["paths"] = tuple(IGNORED for _ in event.paths)
    return replace(event, extra={}, **blank)


def _prompt(event: Prompt, policy: Policy) -> Prompt:
    if not policy.prompts:
        return replace(event, text="", attachments=(), extra={})
    return replace(event, attachments=tuple(IGNORED if policy.ignores(name) else name for name in event.attachments))


def _tool_call(event: ToolCall, policy: Policy) -> ToolCall:
    if policy.ignore and _touches_ignored(event, policy):
        paths = tuple(IGNORED if policy.ignores(path) else path for path in event.paths)
        return replace(event, input=None, output=None, diff=None, paths=paths, extra={})
    if not policy.output:
        return replace(event, output=None, extra={})
    if policy.ignore and event.output:
        return replace(event, output=_without_ignored_lines(event.output, policy))
    return event


def _touches_ignored(event: ToolCall, policy: Policy) -> bool:
    return any(policy.ignores(path) for path in event.paths) or any(
        policy.mentions_ignored(text) for text in _short_texts(event.input)
    )


def _short_texts(value: JSON) -> Iterator[str]:
    """Paths and commands in a tool's input; long texts are content, not names."""
    if isinstance(value, str) and len(value) <= 4096:
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _short_texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _short_texts(item)


def _without_ignored_lines(output: str, policy: Policy) -> str:
    """``secrets/prod.txt:3: …`` in the output of a search."""
    return "\n".join(IGNORED if policy.mentions_ignored(line[:600]) else line for line in output.split("\n"))
