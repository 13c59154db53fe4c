"""People, teams, and who is in which."""

from __future__ import annotations

from typing import Self

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from stash.actors import Actor
from stash.ids import uuid7


class User(AbstractUser):
    """A person (or a service account's identity). Names are shown; ``username`` is unique and appears in paths."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField("name", max_length=120, blank=True, help_text="As colleagues should see it.")
    email = models.EmailField("email address", blank=True)
    shortcuts = models.BooleanField("single-key shortcuts", default=True)

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), condition=~Q(email=""), name="user_email_unique"),
            models.UniqueConstraint(Lower("username"), name="user_username_unique"),
        ]

    def __str__(self) -> str:
        return self.display_name

    @property
    def display_name(self) -> str:
        return self.name or self.username

    def get_full_name(self) -> str:
        return self.display_name

    def get_short_name(self) -> str:
        return self.display_name.split(" ")[0]


class Team(models.Model):
    """A workspace of people; everything belongs to exactly one."""

    class Default(models.TextChoices):
        ASK = "", "each person chooses"
        PRIVATE = "private", "private to the person"
        PROJECT = "project", "visible to the project"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    session_visibility = models.CharField(
        max_length=10,
        choices=Default.choices,
        blank=True,
        default=Default.ASK,
        help_text="Fixes who sees new sessions, whatever a person chose.",
    )
    patterns_version = models.PositiveIntegerField(default=0, help_text="Raised with every change of its patterns.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return self.name


class MembershipQuerySet(models.QuerySet["Membership"]):
    def active(self) -> Self:
        return self.filter(active=True, user__is_active=True)

    def visible_to(self, actor: Actor) -> Self:
        """Everybody of a team sees who is in it."""
        return self.filter(team_id=actor.team_id)


class Membership(models.Model):
    """A user in a team. A service account is a membership with a responsible person."""

    class Role(models.TextChoices):
        OWNER = "owner", "Owner"
        ADMIN = "admin", "Admin"
        MEMBER = "member", "Member"
        VIEWER = "viewer", "Viewer"
        SERVICE = "service", "Service account"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    responsible = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="service_accounts"
    )
    active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=~Q(role="service") | Q(responsible__isnull=False), name="service_has_responsible"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"
