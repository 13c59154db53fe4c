"""How the answer divides: sessions by person, project and agent, hits by kind. Counted over the candidates that were
looked at anyway, so that it costs no query and tells of nothing the actor may not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from stash.recall.candidates import Candidates, Happened

_FAMILIES = {"shell": "command", "edit": "edit", "read": "read"}


@dataclass(frozen=True, slots=True)
class Facets:
    """``hits`` in ``sessions``, and how they divide. Keys: ids of people and projects, names of agents and kinds."""

    hits: int = 0
    sessions: int = 0
    people: Mapping[UUID, int] = field(default_factory=dict)
    projects: Mapping[UUID, int] = field(default_factory=dict)
    harnesses: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)


def kind_of(unit: Happened) -> str:
    """The kind as ``kind:`` knows it."""
    if unit.kind == "tool_call":
        return _FAMILIES.get(unit.family, "tool")
    return "agent" if unit.kind == "subagent" else unit.kind


def counted(found: Candidates, of_session: Mapping[UUID, Collection[int]]) -> Facets:
    """``of_session``: the units of each session that can be shown."""
    facts = [found.sessions[session] for session in of_session]
    shown = [key for keys in of_session.values() for key in keys]
    return Facets(
        hits=len(shown),
        sessions=len(facts),
        people=Counter(one.person for one in facts),
        projects=Counter(one.project for one in facts if one.project),
        harnesses=Counter(one.harness for one in facts),
        kinds=Counter(kind_of(found.where[key]) for key in shown),
    )
