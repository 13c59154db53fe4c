"""Tables of the index. They name what they index by id only; who may see it is asked of the live rows."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Source(models.Model):
    """Something whose parts are indexed, a session for example; its key is its number in postings.

    ``units``: for each part in order the key that its owner knows it by (8 bytes each), ``lengths``: one byte each.
    ``upto``: how far the owner's own counter was read. ``gone``: its owner is; kept until no posting names it.
    """

    id = models.AutoField(primary_key=True)
    kind = models.CharField(max_length=12)
    ref = models.UUIDField()
    team_id = models.UUIDField()
    upto = models.BigIntegerField(default=0)
    units = models.BinaryField(default=b"")
    lengths = models.BinaryField(default=b"")
    gone = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "ref"], name="search_source_once")]
        indexes = [models.Index(fields=["gone"], condition=models.Q(gone=True), name="search_source_gone")]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"


class Segment(models.Model):
    """A part of the index that never changes; several become one in the background. Not ``live``: being written."""

    id = models.AutoField(primary_key=True)
    rank = models.IntegerField(default=0, help_text="Its age: what is told again in a later one counts there only.")
    live = models.BooleanField(default=False)
    page_bits = models.PositiveSmallIntegerField()
    units = models.PositiveIntegerField()
    words = models.BigIntegerField(help_text="The length of all units together.")
    postings = models.BigIntegerField()
    again = models.BinaryField(default=b"", help_text="Units that an earlier segment told, 8 bytes each.")
    made_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.units} units"


class Page(models.Model):
    """Postings of the words whose hashes begin alike; the key is the segment's number and those first bits."""

    id = models.BigAutoField(primary_key=True)
    data = models.BinaryField()

    def __str__(self) -> str:
        return str(self.id)


class Word(models.Model):
    """A plain word that occurs somewhere, for questions with a typing error."""

    text = models.CharField(max_length=24, primary_key=True)

    def __str__(self) -> str:
        return self.text


class Waiting(models.Model):
    """Something changed and is to be indexed: written with the change, in its transaction.

    ``later``: it was there before the index was, and waits for everything that is new.
    """

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=12)
    ref = models.UUIDField()
    later = models.BooleanField(default=False)
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "waiting"

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"


UNREADABLE = "unreadable"
"""The state that counts what could not be indexed."""


class State(models.Model):
    """What the indexer remembers: one value by name."""

    name = models.CharField(max_length=40, primary_key=True)
    value = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
