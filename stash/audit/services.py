"""Writing to the audit log: always inside the transaction of the act itself."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Model

from stash.actors import Actor
from stash.audit.models import AuditEntry

Fact = str | int | bool | None | list[str]


def record(actor: Actor, verb: str, target: Model | None = None, *, name: str = "", **facts: Fact) -> None:
    """One act of one actor. ``verb``: ``<thing>.<past participle>``, listed in ``verbs.py``.

    ``facts`` are ids, names and numbers, never captured text.
    """
    kind = _kind(target)
    AuditEntry.objects.create(
        team_id=actor.team_id,
        actor_id=actor.user_id,
        actor_name=actor.user_name[:120],
        channel=actor.channel,
        key_id=actor.key_id,
        machine_name=actor.machine_name[:120],
        harness=actor.harness[:40],
        ip=actor.ip,
        verb=verb,
        target_type=kind,
        target_id=str(target.pk) if target is not None else "",
        target_name=(name or (str(target) if target is not None else ""))[:200],
        project_id=_project_of(target, kind),
        facts=facts,
    )


def _kind(target: Model | None) -> str:
    """The name of the model that owns the row, whatever proxy or deferred class stands in for it."""
    if target is None:
        return ""
    model = target._meta.concrete_model or type(target)
    return (model._meta.model_name or "")[:40]


def _project_of(target: Model | None, kind: str) -> UUID | None:
    found: UUID | None = getattr(target, "pk" if kind == "project" else "project_id", None)
    return found
