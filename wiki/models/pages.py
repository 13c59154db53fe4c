"""The index of a project's repository. All of it can be made again from the files; a page keeps its row meanwhile."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F
from django.utils import timezone

from accounts.models import Project
from stash.actors import Actor
from stash.ids import uuid7

LONGEST_PATH = 400
LONGEST_NAME = 250


class Repository(models.Model):
    """How far the index of a project has read its git repository."""

    project = models.OneToOneField(Project, primary_key=True, on_delete=models.CASCADE, related_name="wiki")
    indexed_commit = models.CharField(max_length=64, blank=True)
    commits = models.PositiveIntegerField(default=0, help_text="On the main line, up to the indexed one.")
    indexed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "repositories"

    def __str__(self) -> str:
        return f"wiki of {self.project}"


class PageQuerySet(models.QuerySet["Page"]):
    def visible_to(self, actor: Actor) -> Self:
        """Pages are seen by whoever sees their project, with a key that reads."""
        if "read" not in actor.scopes:
            return self.none()
        return self.filter(project__in=Project.objects.visible_to(actor))


class Page(models.Model):
    """A markdown file as it is at the indexed commit."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pages", db_index=False)
    path = models.CharField(max_length=LONGEST_PATH)
    folder = models.CharField(max_length=LONGEST_PATH, blank=True)
    title = models.CharField(max_length=LONGEST_NAME)
    text = models.TextField(blank=True, help_text="The file, to the byte in UTF-8.")
    front = models.JSONField(default=dict, blank=True)
    front_error = models.CharField(max_length=200, blank=True)
    blob = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    pinned = models.BooleanField(default=False)
    protected = models.BooleanField(default=False)
    revisions = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=150, blank=True, help_text="A username, where the commit tells it.")
    changed_at = models.DateTimeField()
    changed_by = models.CharField(max_length=150, blank=True)
    changed_by_name = models.CharField(max_length=120, blank=True)
    harness = models.CharField(max_length=40, blank=True, help_text="Of the last change; empty for a person's own.")

    objects = PageQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "path"], name="page_path")]
        indexes = [
            models.Index(F("project"), F("changed_at").desc(), F("id").desc(), name="page_recent"),
            models.Index(fields=["project", "folder", "path"], name="page_in_folder"),
        ]

    def __str__(self) -> str:
        return self.path


class PageName(models.Model):
    """A name by which links find a page; of pages that share one the lowest rank wins, then the shortest path."""

    class Rank(models.IntegerChoices):
        PATH = 0, "path"
        FILE = 1, "file name"
        TITLE = 2, "title"
        ALIAS = 3, "alias"

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="names", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=LONGEST_PATH)
    rank = models.PositiveSmallIntegerField(choices=Rank.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["page", "key", "rank"], name="page_name_once")]
        indexes = [models.Index(fields=["project", "key", "rank"], name="page_name_key")]

    def __str__(self) -> str:
        return self.key


class Section(models.Model):
    """A heading with what stands under it, up to the next heading; the first may have none."""

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="sections", db_index=False)
    place = models.PositiveIntegerField()
    level = models.PositiveSmallIntegerField(default=0)
    heading = models.CharField(max_length=LONGEST_NAME, blank=True)
    anchor = models.CharField(max_length=LONGEST_NAME, blank=True)
    text = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["page", "place"], name="section_place")]

    def __str__(self) -> str:
        return self.heading or f"section {self.place}"


class Link(models.Model):
    """A link as it is written. Whether it leads somewhere is asked when somebody looks, by its key."""

    class Kind(models.TextChoices):
        WIKI = "wiki", "[[link]]"
        EMBED = "embed", "![[embed]]"
        RELATIVE = "relative", "[text](path)"

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="links", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    place = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    target = models.CharField(max_length=LONGEST_PATH)
    key = models.CharField(max_length=LONGEST_PATH, help_text="A PageName; of relative links a path.")
    anchor = models.CharField(max_length=LONGEST_NAME, blank=True)
    label = models.CharField(max_length=LONGEST_NAME, blank=True)
    line = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["page", "place"], name="link_place")]
        indexes = [models.Index(fields=["project", "key"], name="link_key")]

    def __str__(self) -> str:
        return self.target


class Revision(models.Model):
    """One commit that changed one file, by its path then."""

    class Change(models.TextChoices):
        ADDED = "A", "added"
        MODIFIED = "M", "changed"
        DELETED = "D", "deleted"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    path = models.CharField(max_length=LONGEST_PATH)
    commit = models.CharField(max_length=64)
    number = models.PositiveIntegerField(help_text="Counts the commits of the project's main line.")
    change = models.CharField(max_length=1, choices=Change.choices)
    blob = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()
    subject = models.CharField(max_length=200, blank=True)
    author = models.CharField(max_length=120)
    person = models.CharField(max_length=150, blank=True, help_text="A username, where the server made the commit.")
    harness = models.CharField(max_length=40, blank=True)
    session = models.CharField(max_length=40, blank=True)
    moved_from = models.CharField(max_length=LONGEST_PATH, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "path", "number"], name="revision_once")]
        indexes = [
            models.Index(F("project"), F("number").desc(), name="revision_recent"),
            models.Index(fields=["project", "commit"], name="revision_commit"),
        ]

    def __str__(self) -> str:
        return f"{self.commit[:8]} {self.path}"


class Tombstone(models.Model):
    """A page that was deleted. What a person deleted, no automatic writer makes again."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    path = models.CharField(max_length=LONGEST_PATH)
    commit = models.CharField(max_length=64)
    last_blob = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)
    person = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "path"], name="tombstone_path")]

    def __str__(self) -> str:
        return self.path
