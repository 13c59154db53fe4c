"""The shapes of briefings over HTTP."""

from __future__ import annotations

from typing import Any

import msgspec
from rest_framework import serializers

from stash.errors import Invalid
from stash.recall.briefing import DEFAULT_BUDGET, Briefing
from stash_client.events import SessionInfo

_MOST_FILES = 200
_LONGEST = 4096
"""Harnesses and file systems have words of their own; a briefing is not refused for them."""


class BriefingRequest(serializers.Serializer):
    """``checkout``, ``branch`` and ``changed_files`` say what the session is about; so far nothing depends on them."""

    session = serializers.JSONField(help_text="The session block of POST /events.")
    checkout = serializers.CharField(required=False, allow_blank=True, allow_null=True, max_length=_LONGEST)
    branch = serializers.CharField(required=False, allow_blank=True, allow_null=True, max_length=_LONGEST)
    changed_files = serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST), required=False, max_length=_MOST_FILES
    )
    budget = serializers.IntegerField(required=False, default=DEFAULT_BUDGET, help_text="Bytes.")
    source = serializers.CharField(  # type: ignore[assignment]
        required=False,
        allow_blank=True,
        allow_null=True,
        max_length=_LONGEST,
        help_text="startup, resume, clear, compact",
    )
    interactive = serializers.BooleanField(required=False, allow_null=True, default=None)

    def validate_session(self, value: Any) -> SessionInfo:
        try:
            return msgspec.convert(value, SessionInfo)
        except msgspec.ValidationError as error:
            raise Invalid(f"The session is not readable: {error}", code="invalid_session") from None


class BriefQuery(serializers.Serializer):
    project = serializers.CharField(max_length=80)
    budget = serializers.IntegerField(required=False, default=DEFAULT_BUDGET, help_text="Bytes.")


class BriefingObject(serializers.Serializer):
    id = serializers.UUIDField(allow_null=True, help_text="Report it in briefing_shown.")
    text = serializers.CharField(help_text="Fenced; hand it to the agent as it is.")
    bytes = serializers.IntegerField()
    sections = serializers.ListField(child=serializers.CharField())
    offer = serializers.DictField(allow_null=True, help_text="A handoff for this session.")


def briefing_object(briefing: Briefing) -> dict[str, Any]:
    return {
        "id": str(briefing.id) if briefing.id else None,
        "text": briefing.text,
        "bytes": briefing.bytes,
        "sections": briefing.sections,
        "offer": None,
    }
