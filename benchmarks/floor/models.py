"""The floor's table: the columns of an event and a primary key, nothing else."""

from __future__ import annotations

from django.db import models

from sessions_app.models import Event


def _copy(field: models.Field) -> models.Field:  # type: ignore[type-arg]
    if field.is_relation:
        return models.UUIDField()
    return field.clone()


FloorEvent = type(
    "FloorEvent",
    (models.Model,),
    {
        "__module__": __name__,
        "Meta": type("Meta", (), {"app_label": "floor", "managed": False}),
        **{
            ("session_id" if f.is_relation else f.name): _copy(f)
            for f in Event._meta.concrete_fields
            if not f.primary_key
        },
    },
)
