"""What everybody did, as plain values: no foreign keys to people or things, no captured text, never changed.

Triggers refuse changes (``triggers.py``); a migration that makes SQLite rebuild one of these tables must install them
again.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from stash.audit.verbs import worded
from stash.ids import uuid7


class AuditSeal(models.Model):
    """Fixes a batch of entries: SHA-256 over the seal before and the rows. Numbers have no gaps and start at 1."""

    number = models.PositiveBigIntegerField(primary_key=True)
    previous = models.CharField(max_length=64, blank=True, help_text="Digest of the seal before; empty for the first.")
    digest = models.CharField(max_length=64)
    entries = models.PositiveIntegerField()
    sealed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return f"seal {self.number}"


class AuditEntry(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    team_id = models.UUIDField(null=True, db_index=True)
    at = models.DateTimeField(default=timezone.now)
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=120)
    channel = models.CharField(max_length=10)
    key_id = models.UUIDField(null=True)
    machine_name = models.CharField(max_length=120, blank=True)
    harness = models.CharField(max_length=40, blank=True)
    ip = models.GenericIPAddressField(null=True)
    verb = models.CharField(max_length=60)
    target_type = models.CharField(max_length=40, blank=True)
    target_id = models.CharField(max_length=80, blank=True)
    target_name = models.CharField(max_length=200, blank=True)
    project_id = models.UUIDField(null=True)
    facts = models.JSONField(default=dict)
    seal = models.ForeignKey(
        AuditSeal, null=True, editable=False, on_delete=models.PROTECT, related_name="sealed", db_index=False
    )

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["team_id", "-at"], name="audit_recent"),
            models.Index(fields=["seal", "id"], name="audit_by_seal"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.wording} {self.target_name}"

    @property
    def wording(self) -> str:
        return worded(self.verb)
