"""Seals make a change of the past visible: each is a SHA-256 over the seal before it and the rows of its batch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.utils import timezone

from stash.audit.models import AuditEntry, AuditSeal

SETTLE = timedelta(seconds=5)
"""Younger entries wait for the next seal. One that commits later than that is simply sealed later: what is unsealed
is found by the empty column, never by a position in time."""
BATCH = 5000
_FIELDS = tuple(field.attname for field in AuditEntry._meta.concrete_fields if field.attname != "seal_id")


def seal_once(*, now: datetime | None = None) -> AuditSeal | None:
    """Seal the next batch. None when nothing is due, or when another sealer was first.

    The number decides among sealers: it is read before the entries, so whoever saw entries that another one was
    sealing also has that one's number, and its insert fails.
    """
    with transaction.atomic():
        last = AuditSeal.objects.order_by("-number").first()
        unsealed = AuditEntry.objects.filter(seal__isnull=True, at__lte=(now or timezone.now()) - SETTLE)
        rows = list(unsealed.order_by("id").values(*_FIELDS)[:BATCH])
        return _close(last, rows) if rows else None


def _close(last: AuditSeal | None, rows: list[dict[str, Any]]) -> AuditSeal | None:
    number, previous = (last.number + 1, last.digest) if last else (1, "")
    digest = digest_of(previous, rows)
    try:
        with transaction.atomic():
            seal = AuditSeal.objects.create(number=number, previous=previous, digest=digest, entries=len(rows))
    except IntegrityError:
        return None
    AuditEntry.objects.filter(pk__in=[row["id"] for row in rows]).update(seal=seal)
    return seal


def digest_of(previous: str, rows: Iterable[dict[str, Any]]) -> str:
    """Hex SHA-256 over the previous digest and one canonical JSON line per row, in order of id."""
    state = hashlib.sha256(previous.encode())
    for row in rows:
        line = json.dumps(row, cls=_Exact, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        state.update(b"\n" + line.encode())
    return state.hexdigest()


class _Exact(DjangoJSONEncoder):
    """Django's own encoder drops microseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


@dataclass(frozen=True)
class Verdict:
    """``broken`` says where the log first differs from what was sealed; empty when it does not."""

    seals: int
    entries: int
    unsealed: int
    broken: str = ""


def verify() -> Verdict:
    """Recompute every seal from the first on."""
    seals, entries, previous = 0, 0, ""
    for seal in AuditSeal.objects.order_by("number").iterator():
        broken = _fault(seal, expected=seals + 1, previous=previous)
        if broken:
            return Verdict(seals, entries, _unsealed(), broken)
        seals, entries, previous = seals + 1, entries + seal.entries, seal.digest
    return Verdict(seals, entries, _unsealed())


def _fault(seal: AuditSeal, *, expected: int, previous: str) -> str:
    if seal.number != expected:
        return f"seal {expected} is missing"
    if seal.previous != previous:
        return f"seal {seal.number} does not continue seal {seal.number - 1}"
    rows = list(AuditEntry.objects.filter(seal=seal).order_by("id").values(*_FIELDS))
    if len(rows) != seal.entries:
        return f"{seal} of {seal.sealed_at.isoformat()} holds {len(rows)} entries instead of {seal.entries}"
    if digest_of(previous, rows) != seal.digest:
        return f"an entry of {seal} of {seal.sealed_at.isoformat()} was changed ({rows[0]['id']} to {rows[-1]['id']})"
    return ""


def _unsealed() -> int:
    return AuditEntry.objects.filter(seal__isnull=True).count()
