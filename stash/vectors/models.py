"""Vectors by unit and model. Like the index they name what they are of; who may see it is asked of the live rows."""

from __future__ import annotations

from django.db import models

from stash.search.models import Source


class Model(models.Model):
    """A model that made vectors. ``complete``: it once had read everything there was; before, it is not asked."""

    id = models.AutoField(primary_key=True)
    name = models.CharField(max_length=200)
    dimension = models.PositiveIntegerField()
    complete = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "dimension"], name="vectors_model_once")]

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension})"


class Progress(models.Model):
    """How far a model read a source. ``speakers``: names that begin its lines, one a line; they mean nothing."""

    id = models.BigAutoField(primary_key=True)
    model = models.ForeignKey(Model, models.CASCADE)
    source = models.ForeignKey(Source, models.CASCADE, related_name="vectors")
    upto = models.BigIntegerField(default=0)
    speakers = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "source"], name="vectors_progress_once")]
        verbose_name_plural = "progress"

    def __str__(self) -> str:
        return f"{self.source_id}: {self.upto}"


class Vector(models.Model):
    """Of one unit: as many signed bytes as the model has dimensions; only their direction counts."""

    id = models.BigAutoField(primary_key=True)
    progress = models.ForeignKey(Progress, models.CASCADE, related_name="vectors")
    unit = models.BigIntegerField(help_text="Its key in the search index.")
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["progress", "unit"], name="vectors_vector_once")]

    def __str__(self) -> str:
        return str(self.unit)
