"""Taking the audit log away is itself an act."""

from __future__ import annotations

from stash.access import require
from stash.actors import Actor
from stash.audit.services import record


def note_audit_export(*, actor: Actor, name: str) -> None:
    require(actor, "accounts.read_audit")
    record(actor, "audit.exported", name=name)
