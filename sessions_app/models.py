"""Sessions of coding agents and the events that happened in them."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import Machine, Project, Team
from stash.actors import Actor
from stash.ids import uuid7


class SessionQuerySet(models.QuerySet["Session"]):
    def visible_to(self, actor: Actor) -> Self:
        """One's own, and those shared with a project one may see. Private ones are their person's alone."""
        if "read" not in actor.scopes:
            return self.none()
        shared = Q(visibility=Session.Visibility.PROJECT)
        if actor.role not in ("owner", "admin"):
            shared &= Q(project__in=Project.objects.visible_to(actor))
        return self.filter(Q(person_id=actor.user_id) | shared, team_id=actor.team_id)

    def still_open(self) -> Self:
        """Not ended, said in the words of the index ``session_open``: SQLite sees through no others."""
        return self.exclude(status=Session.Status.ENDED)

    def top_level(self) -> Self:
        """Without subagents."""
        return self.filter(parent__isnull=True)


class Session(models.Model):
    """One agent conversation. Counters, trace and status are kept here so that lists never read events."""

    class Visibility(models.TextChoices):
        PRIVATE = "private", "Private"
        PROJECT = "project", "Project"

    class Status(models.TextChoices):
        WORKING = "working", "Running"
        NEEDS_YOU = "needs_you", "Needs you"
        IDLE = "idle", "Idle"
        ENDED = "ended", "Ended"

    class TitleSource(models.TextChoices):
        NONE = "", "none yet"
        PROMPT = "prompt", "first prompt"
        HARNESS = "harness", "the harness"
        PERSON = "person", "a person"

    # Every event updates its session and with it every index: keys that lead another index have none of their own.
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_index=False)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agent_sessions", db_index=False
    )
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="sessions", db_index=False
    )
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="children", db_index=False
    )
    machine = models.ForeignKey(
        Machine, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )

    harness = models.CharField(max_length=40)
    native_id = models.CharField(max_length=200)
    agent_type = models.CharField(max_length=80, blank=True)
    title = models.CharField(max_length=200, blank=True)
    title_source = models.CharField(max_length=10, choices=TitleSource.choices, blank=True, default="")
    title_at = models.DateTimeField(null=True, blank=True, help_text="When the prompt was typed that gave the title.")
    visibility = models.CharField(max_length=10, choices=Visibility.choices, default=Visibility.PRIVATE)

    branch = models.CharField(max_length=255, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    model = models.CharField(max_length=120, blank=True)
    cwd = models.CharField(max_length=500, blank=True)
    checkout = models.CharField(max_length=120, blank=True)
    machine_name = models.CharField(max_length=120, blank=True, help_text="As the client said; for display.")
    harness_version = models.CharField(max_length=40, blank=True)
    client_version = models.CharField(max_length=40, blank=True)
    interactive = models.BooleanField(null=True)
    policy = models.JSONField(default=dict, blank=True)

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WORKING)
    status_since = models.DateTimeField(default=timezone.now)
    activity = models.CharField(max_length=200, blank=True, help_text="What runs now, in words.")
    waiting_for = models.TextField(blank=True, help_text="The question or command it waits for, whole.")
    failed = models.BooleanField(default=False, help_text="The last turn ended in an error.")

    started_at = models.DateTimeField()
    last_event_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    end_reason = models.CharField(max_length=40, blank=True)

    last_seq = models.PositiveIntegerField(default=0)
    events = models.PositiveIntegerField(default=0, help_text="Stored events; also the last number given.")
    prompts = models.PositiveIntegerField(default=0)
    tool_calls = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    edits = models.PositiveIntegerField(default=0)
    files = models.PositiveIntegerField(default=0)
    lines_added = models.PositiveIntegerField(default=0)
    lines_removed = models.PositiveIntegerField(default=0)
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)
    tokens_cache_read = models.BigIntegerField(default=0)
    tokens_cache_write = models.BigIntegerField(default=0)
    redactions = models.JSONField(default=dict, blank=True)
    tail = models.CharField(max_length=32, blank=True, help_text="Trace letters of the last events.")
    trace = models.CharField(max_length=280, blank=True, help_text="Trace letters of the whole session, in buckets.")
    trace_step = models.PositiveIntegerField(default=1, help_text="Events in one bucket of the trace.")
    filed_on = models.DateField(null=True, blank=True, help_text="The day it is filed under; see filing.py.")
    filed_as = models.CharField(max_length=80, blank=True, help_text="Its name among files, given once.")
    forgot = models.BooleanField(default=False, help_text="Part of it was taken back: see Forgotten.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SessionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "person", "harness", "native_id"], name="session_native_id"),
            models.CheckConstraint(
                condition=Q(visibility="private") | Q(project__isnull=False), name="shared_session_has_project"
            ),
        ]
        indexes = [
            models.Index(F("team"), F("last_event_at").desc(), F("id").desc(), name="session_recent"),
            models.Index(F("project"), F("last_event_at").desc(), F("id").desc(), name="session_recent_in_project"),
            models.Index(F("person"), F("last_event_at").desc(), F("id").desc(), name="session_recent_of_person"),
            models.Index(
                F("team"), F("last_event_at").desc(), F("id").desc(), condition=Q(failed=True), name="session_failed"
            ),
            models.Index(fields=["project", "filed_on"], name="session_filed_in_project"),
            models.Index(fields=["person", "filed_on"], name="session_filed_of_person"),
            models.Index(fields=["parent"], condition=Q(parent__isnull=False), name="session_children"),
            # The idle sweep and "who works now" read open sessions only.
            models.Index(fields=["status", "last_event_at"], condition=~Q(status="ended"), name="session_open"),
        ]

    def __str__(self) -> str:
        return self.title or "Untitled session"

    @property
    def short_id(self) -> str:
        """Eight hex digits for people: with an event's number, its address (``5f3a9c1e #113``)."""
        return self.id.hex[-8:]


class SessionFile(models.Model):
    """A file that a session read or changed."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="touched", db_index=False)
    path = models.CharField(max_length=500)
    edits = models.PositiveIntegerField(default=0)
    reads = models.PositiveIntegerField(default=0)
    lines_added = models.PositiveIntegerField(default=0)
    lines_removed = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "path"], name="session_file_once")]

    def __str__(self) -> str:
        return self.path


class Event(models.Model):
    """One thing that happened, clean. Its address is (session, number); readers follow by ``seq``.

    ``number`` is given once, in order of arrival. ``seq`` starts equal to it in kind (arrival) and is renewed when a
    second delivery completes the event, so that every cursor sees the change. ``body`` holds the fields of the kind
    that nothing is filtered by (input, paths, diff, usage, …).
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="event_set", db_index=False)
    number = models.PositiveIntegerField()
    seq = models.PositiveIntegerField()
    uid = models.UUIDField(help_text="Delivery id of the first report.")
    digest = models.CharField(max_length=32, help_text="SHA-256/128 of what the first report said.")
    twin_uid = models.UUIDField(null=True, blank=True, help_text="Delivery id of the second report of the moment.")
    twin_digest = models.CharField(max_length=32, blank=True)
    origins = models.CharField(max_length=2, help_text="h: reported by a hook, t: by a transcript.")
    moment = models.CharField(max_length=220, null=True, blank=True, help_text="Strongest id; unique where present.")
    match = models.BigIntegerField(null=True, help_text="Hash of kind and text, for moments without an id.")

    kind = models.CharField(max_length=16)
    occurred_at = models.DateTimeField()
    reported_at = models.DateTimeField(null=True, blank=True, help_text="What the client's wrong clock said.")
    received_at = models.DateTimeField(default=timezone.now)
    n = models.BigIntegerField(default=0)

    text = models.TextField(blank=True)
    name = models.CharField(max_length=200, blank=True)
    family = models.CharField(max_length=10, blank=True)
    output = models.TextField(null=True, blank=True)
    ok = models.BooleanField(null=True)
    exit_code = models.BigIntegerField(null=True, blank=True)
    duration_ms = models.BigIntegerField(null=True, blank=True)
    call_id = models.CharField(max_length=200, null=True, blank=True)
    turn_id = models.CharField(max_length=200, null=True, blank=True)
    message_id = models.CharField(max_length=200, null=True, blank=True)
    body = models.JSONField(default=dict, blank=True)
    redactions = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="event_seq"),
            models.UniqueConstraint(fields=["session", "number"], name="event_number"),
            models.UniqueConstraint(fields=["session", "uid"], name="event_uid"),
            models.UniqueConstraint(
                fields=["session", "twin_uid"], condition=Q(twin_uid__isnull=False), name="event_twin_uid"
            ),
            models.UniqueConstraint(
                fields=["session", "moment"], condition=Q(moment__isnull=False), name="event_moment"
            ),
        ]
        indexes = [
            models.Index(fields=["session", "occurred_at", "n", "number"], name="event_display_order"),
            models.Index(fields=["session", "match", "origins"], condition=Q(match__isnull=False), name="event_match"),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.kind}"


class Forgotten(models.Model):
    """What was taken back of one session: what happened then never comes in again, however late it is told.

    Kept under the session's own key, because the session itself may be gone; ``former`` is the id it had. ``since`` is
    null when all of it was deleted; then also what follows stays out until its person types the next prompt.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_index=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    harness = models.CharField(max_length=40)
    native_id = models.CharField(max_length=200)
    former = models.UUIDField(db_index=True)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()

    class Meta:
        verbose_name_plural = "forgotten"
        indexes = [models.Index(fields=["team", "person", "harness", "native_id"], name="forgotten_of_session")]

    def __str__(self) -> str:
        return f"{self.harness} {self.native_id}"


class ForgottenDelivery(models.Model):
    """A delivery id of an event that was taken back: its time may be told differently when it comes again."""

    forgotten = models.ForeignKey(Forgotten, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    uid = models.UUIDField()

    class Meta:
        verbose_name_plural = "forgotten deliveries"
        constraints = [models.UniqueConstraint(fields=["forgotten", "uid"], name="forgotten_delivery_once")]

    def __str__(self) -> str:
        return str(self.uid)


class UnknownSeen(models.Model):
    """How often a harness version sent something nobody knows yet (event, record or field)."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    harness = models.CharField(max_length=40)
    harness_version = models.CharField(max_length=40, blank=True)
    name = models.CharField(max_length=120)
    times = models.PositiveIntegerField(default=0)
    last_seen_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "unknown seen"
        constraints = [
            models.UniqueConstraint(fields=["team", "harness", "harness_version", "name"], name="unknown_seen_once")
        ]

    def __str__(self) -> str:
        return f"{self.harness} {self.harness_version}: {self.name}"
