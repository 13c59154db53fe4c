"""The two questions every service asks: may this actor see it (gate), may this actor do it (require)."""

from __future__ import annotations

from typing import Any, TypeVar

import rules
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db.models import Model, QuerySet

from stash.actors import Actor
from stash.errors import Forbidden, NotFound

M = TypeVar("M", bound=Model)


def gate(visible: QuerySet[M], **lookup: Any) -> M:
    """The one object among those visible. Raises NotFound alike for absent, forbidden and malformed ids."""
    try:
        return visible.get(**lookup)
    except (ObjectDoesNotExist, ValidationError, ValueError, OverflowError):
        raise NotFound() from None


def allowed(actor: Actor, permission: str, target: object = None) -> bool:
    return bool(rules.has_perm(permission, actor, target))  # type: ignore[no-untyped-call]


def require(actor: Actor, permission: str, target: object = None) -> None:
    """Raises Forbidden unless the permission table says yes. Call it after the gate."""
    if not allowed(actor, permission, target):
        raise Forbidden(permission=permission)
