"""What a server tells of sessions and their events, as frozen values. Times are RFC 3339 strings with offset.

What an older server does not send has its default; what a newer one sends beside stays in ``raw``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Optional, TypeVar

Made = TypeVar("Made")
_FIELDS: dict[type, frozenset[str]] = {}


def made(cls: type[Made], wire: Mapping[str, Any], **own: Any) -> Made:
    """The value with the fields that ``wire`` has; null where a default says better means the default."""
    known = _FIELDS.get(cls) or _FIELDS.setdefault(cls, frozenset(f.name for f in fields(cls)))  # type: ignore[arg-type]
    given = {name: value for name, value in wire.items() if name in known and value is not None}
    return cls(**{**given, **own})


@dataclass(frozen=True)
class Person:
    username: str = ""
    name: str = ""


@dataclass(frozen=True)
class Tokens:
    """``input`` excludes what came from or went to the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True)
class Session:
    """A session as its server shows it now. ``state``: needs_you, running, failed, idle, done or ended.

    ``status`` is the same in the words of the contract: working, needs_you, idle, ended. ``short_id``: the last eight
    digits of ``id``, for people. ``activity``: what runs now; ``waiting_for``: what its person is asked.
    """

    id: str
    short_id: str = ""
    url: str = ""
    title: str = ""
    person: Person = field(default_factory=Person)
    project: Optional[str] = None
    parent: Optional[str] = None
    harness: str = ""
    native_id: str = ""
    machine: str = ""
    visibility: str = ""
    branch: str = ""
    commit: str = ""
    model: str = ""
    status: str = ""
    state: str = ""
    status_since: str = ""
    activity: str = ""
    waiting_for: str = ""
    started_at: str = ""
    last_event_at: str = ""
    ended_at: Optional[str] = None
    end_reason: str = ""
    events: int = 0
    prompts: int = 0
    tool_calls: int = 0
    failures: int = 0
    edits: int = 0
    files: int = 0
    lines_added: int = 0
    lines_removed: int = 0
    last_seq: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    redactions: Mapping[str, int] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Session:
        person, tokens = made(Person, wire.get("person") or {}), made(Tokens, wire.get("tokens") or {})
        return made(cls, wire, person=person, tokens=tokens, raw=wire)


@dataclass(frozen=True)
class Me:
    """Who the key acts as. ``scopes``: of ``capture read write admin``."""

    username: str
    name: str = ""
    team: str = ""
    role: str = ""
    scopes: Sequence[str] = ()
    machine: Optional[str] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Me:
        user, team, machine = (wire.get(name) or {} for name in ("user", "team", "machine"))
        return cls(
            username=str(user.get("username", "")),
            name=str(user.get("name", "")),
            team=str(team.get("slug", "")),
            role=str(wire.get("role", "")),
            scopes=tuple(wire.get("scopes") or ()),
            machine=machine.get("name"),
            raw=wire,
        )
