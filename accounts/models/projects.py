"""Code bases, the names they are known by, who may reach them and who agreed to capture."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models.people import Membership, Team, User
from stash.actors import Actor
from stash.ids import uuid7


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, actor: Actor) -> Self:
        """Owner and admin see all, others team projects and grants, a service account its grants only."""
        if "read" not in actor.scopes and "capture" not in actor.scopes:
            return self.none()
        mine = self.filter(team_id=actor.team_id)
        if actor.role in ("owner", "admin"):
            return mine
        granted = Q(pk__in=ProjectGrant.objects.filter(membership_id=actor.membership_id).values("project_id"))
        if actor.role == "service":
            return mine.filter(granted)
        return mine.filter(Q(visibility=Project.Visibility.TEAM) | granted)

    def writable_by(self, actor: Actor) -> Self:
        """Where this membership may capture and write: member of a team project, or a write grant; never a viewer."""
        mine = self.filter(team_id=actor.team_id)
        if actor.role in ("owner", "admin"):
            return mine
        granted = Q(
            pk__in=ProjectGrant.objects.filter(membership_id=actor.membership_id, can_write=True).values("project_id")
        )
        if actor.role == "member":
            return mine.filter(Q(visibility=Project.Visibility.TEAM) | granted)
        return mine.filter(granted) if actor.role == "service" else self.none()


class Project(models.Model):
    """One code base in a team."""

    class Visibility(models.TextChoices):
        TEAM = "team", "The whole team"
        RESTRICTED = "restricted", "Only people with a grant"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="projects")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=120)
    visibility = models.CharField(max_length=10, choices=Visibility.choices, default=Visibility.TEAM)
    session_visibility = models.CharField(max_length=10, choices=Team.Default.choices, blank=True, default="")
    policy = models.JSONField(default=dict, blank=True, help_text="What capture leaves out, as in [capture].")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="project_slug_in_team")]

    def __str__(self) -> str:
        return self.name


class ProjectSlug(models.Model):
    """A slug a project had before it was renamed; it still leads there."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    slug = models.SlugField(max_length=80)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="old_slugs")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="old_slug_in_team")]

    def __str__(self) -> str:
        return self.slug


class ProjectIdentity(models.Model):
    """One way a checkout names its project: ``marker:…``, ``host/owner/repo`` or ``local:…`` (stash_client.ids)."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="identities")
    value = models.CharField(max_length=300)
    added_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    added_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name_plural = "project identities"
        constraints = [models.UniqueConstraint(fields=["team", "value"], name="identity_in_team")]

    def __str__(self) -> str:
        return self.value


class ProjectGrant(models.Model):
    """Lets a membership into a restricted project, or a service account into any."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="grants")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="grants")
    can_write = models.BooleanField(default=True)
    granted_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "membership"], name="grant_once")]

    def __str__(self) -> str:
        return f"{self.membership} · {self.project}"


class Connection(models.Model):
    """A person's consent to capture: this project, or all (``project`` null), with this visibility for new sessions."""

    class Visibility(models.TextChoices):
        PRIVATE = "private", "private to me"
        PROJECT = "project", "everybody who can see the project"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="connections")
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="connections")
    visibility = models.CharField(max_length=10, choices=Visibility.choices, default=Visibility.PRIVATE)
    raw_hooks = models.BooleanField(default=False, help_text="Accept payloads posted by the harness itself.")
    connected_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["membership", "project"], name="connection_once"),
            models.UniqueConstraint(
                fields=["membership"], condition=Q(project__isnull=True), name="connection_to_all_once"
            ),
            models.CheckConstraint(condition=Q(visibility__in=["private", "project"]), name="connection_visibility"),
        ]

    def __str__(self) -> str:
        return f"{self.membership} · {self.project or 'all'}"
