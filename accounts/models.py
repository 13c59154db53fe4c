"""People, teams, what they may reach, and the machines and keys that act for them."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
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
            models.UniqueConstraint(models.functions.Lower("email"), condition=~Q(email=""), name="user_email_unique"),
            models.UniqueConstraint(models.functions.Lower("username"), name="user_username_unique"),
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

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="connections")
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="connections")
    visibility = models.CharField(max_length=10, default="private")
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


class Invitation(models.Model):
    """A link that lets one person into a team; it can be copied when there is no mail server."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True)
    role = models.CharField(max_length=10, choices=Membership.Role.choices, default=Membership.Role.MEMBER)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.email or f"link of {self.created_at:%Y-%m-%d}"


class SignInLink(models.Model):
    """A one-time link (15 minutes) that signs one user in: how the first owner arrives."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"for {self.user}"
