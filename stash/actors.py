"""Who acts, as plain values: every service and selector takes an Actor first. No models here."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

SCOPES = ("capture", "read", "write", "admin")
ROLES = ("owner", "admin", "member", "viewer", "service")


@dataclass(frozen=True, slots=True)
class Actor:
    """A person acting in one team through one channel; ``role`` is of the membership, ``scopes`` of the key.

    A browser session has every scope. ``channel``: web, api, mcp, cli, git, system. A request without a person,
    or of a person who is in no team, has no Actor at all. ``patterns``: the version of its team's own redaction
    patterns, 0 where it has none.
    """

    user_id: UUID
    user_name: str
    team_id: UUID
    team_slug: str
    membership_id: UUID
    role: str
    scopes: frozenset[str] = frozenset(SCOPES)
    channel: str = "web"
    machine_id: UUID | None = None
    machine_name: str = ""
    harness: str = ""
    key_id: UUID | None = None
    ip: str | None = None
    patterns: int = 0

    @property
    def administers(self) -> bool:
        """Owner or admin of the team, acting with a key (or browser) that carries the scope."""
        return self.role in ("owner", "admin") and "admin" in self.scopes
