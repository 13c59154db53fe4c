"""Machines and the keys that act for people."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models.people import Membership
from stash.actors import Actor
from stash.ids import uuid7


class MachineQuerySet(models.QuerySet["Machine"]):
    def usable(self) -> Self:
        return self.filter(revoked_at__isnull=True)

    def visible_to(self, actor: Actor) -> Self:
        return self.filter(membership_id=actor.membership_id)


class Machine(models.Model):
    """A computer a person signed in from. Its name is for display; attribution comes from the key alone."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="machines")
    name = models.CharField(max_length=120)
    platform = models.CharField(max_length=60, blank=True)
    client_version = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = MachineQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def usable(self, at: datetime) -> Self:
        """Keys that open something now: not revoked, not expired, of an active person in an active membership."""
        return self.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=at),
            revoked_at__isnull=True,
            membership__active=True,
            membership__user__is_active=True,
        )

    def visible_to(self, actor: Actor) -> Self:
        return self.filter(membership_id=actor.membership_id)


class ApiKey(models.Model):
    """``stash_`` + 43 URL-safe characters (256 random bits); only its SHA-256 and last four characters are kept."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="keys")
    machine = models.ForeignKey(Machine, null=True, blank=True, on_delete=models.CASCADE, related_name="keys")
    name = models.CharField(max_length=120)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    last4 = models.CharField(max_length=4, editable=False)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_used_ip = models.GenericIPAddressField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "API key"

    def __str__(self) -> str:
        return f"{self.name} (…{self.last4})"

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())


class DeviceApproval(models.Model):
    """What a person confirmed for one device sign-in; exchanged for the machine's key once, then gone.

    ``grant`` is the id that the sign-in and its access token share.
    """

    grant = models.CharField(primary_key=True, max_length=64)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")
    machine_name = models.CharField(max_length=120)
    scopes = models.JSONField(default=list)
    confirmed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.machine_name} for {self.membership}"
