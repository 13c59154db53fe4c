"""What everybody did, as plain values: no foreign keys, no captured text, never changed."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from stash.ids import uuid7


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

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["team_id", "-at"], name="audit_recent")]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.target_name}"
