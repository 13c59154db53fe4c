"""Which session is whose subagent. A session that ended to be compressed or branched goes on as another one instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stash_client.events import JSON
from stash_client.harnesses.base import identifier

_GOES_ON = frozenset({"compression", "branched"})
_KEPT = ("parent_session_id", "end_reason", "source", "cwd")


class Family:
    DEEPEST = 5

    def __init__(self) -> None:
        self._rows: dict[str, Mapping[str, Any]] = {}

    def add(self, session: Mapping[str, JSON]) -> None:
        self._rows[identifier(session.get("id"))] = {name: session.get(name) for name in _KEPT}

    def row(self, native_id: str) -> Mapping[str, JSON]:
        return self._rows.get(native_id, {})

    def continues(self, native_id: str) -> bool:
        """Whether this session goes on where a compressed one ended."""
        return self.row(self._above(native_id)).get("end_reason") == "compression"

    def path(self, native_id: str) -> str:
        """The id with those of the sessions above it: ``parent/agent``."""
        names = [native_id]
        while len(names) < self.DEEPEST and self._is_child(names[0]):
            names.insert(0, self._above(names[0]))
        return "/".join(names)

    def _above(self, native_id: str) -> str:
        return identifier(self.row(native_id).get("parent_session_id"))

    def _is_child(self, native_id: str) -> bool:
        above = self._above(native_id)
        if not above or above == native_id:
            return False
        known = self.row(above)
        return self.row(native_id).get("source") == "subagent" or (
            bool(known) and identifier(known["end_reason"]) not in _GOES_ON
        )
