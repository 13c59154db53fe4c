"""What a team calls secret beyond what everybody does."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models.people import Team, User


class TeamPattern(models.Model):
    """One redaction pattern in the data form of ``stash_client.privacy.patterns``; ``name`` is for people.

    Rows are only ever replaced as a whole, which raises ``Team.patterns_version``: what is compiled from them may be
    kept for as long as the version stays.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="patterns")
    name = models.CharField(max_length=120)
    data = models.JSONField()
    added_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    added_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name
