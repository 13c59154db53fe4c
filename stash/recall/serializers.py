"""The shapes of briefings and of search over HTTP."""

from __future__ import annotations

from typing import Any

import msgspec
from django.conf import settings
from django.core import signing
from django.urls import reverse
from rest_framework import serializers

from sessions_app.filing import path_of
from sessions_app.models import Session
from stash.errors import BadRequest, Invalid
from stash.recall.briefing import DEFAULT_BUDGET, Briefing
from stash.recall.searching import Answer, Found, Hit, heading
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


class AnyText(serializers.CharField):
    """What somebody typed, whatever it is: no sign in it is an error."""

    def run_validation(self, data: Any = serializers.empty) -> str:
        return data if isinstance(data, str) else ""


class SearchQuery(serializers.Serializer):
    q = AnyText(required=False, default="", help_text="Anything that can be typed.")
    project = serializers.CharField(required=False, max_length=80, help_text="A slug.")
    by = serializers.CharField(required=False, max_length=150, help_text="A username, a name, or me.")
    harness = serializers.CharField(required=False, max_length=40)
    kind = serializers.CharField(required=False, max_length=200, help_text="prompt, reply, command, edit, failure, …")
    file = serializers.CharField(required=False, max_length=500, help_text="Part of the path of a file it touched.")
    commit = serializers.CharField(required=False, max_length=64)
    pr = serializers.CharField(required=False, max_length=200)
    since = serializers.CharField(required=False, max_length=60, help_text="2026-11-03, yesterday, last-week, 7d")
    until = serializers.CharField(required=False, max_length=60)
    limit = serializers.IntegerField(required=False, min_value=1, max_value=100, default=20)
    group = serializers.ChoiceField(["session", "none"], required=False, default="session")
    cursor = serializers.CharField(required=False, max_length=300)

    def validate_cursor(self, value: str) -> int:
        try:
            return int(signing.loads(value, salt="search"))
        except (signing.BadSignature, ValueError, TypeError):
            raise BadRequest("This cursor is not one of ours; start without it.", code="bad_cursor") from None


class Why(serializers.Serializer):
    bm25_rank = serializers.IntegerField(allow_null=True, help_text="Its place by words alone.")
    vector_rank = serializers.IntegerField(allow_null=True, help_text="Its place by meaning alone.")
    words = serializers.ListField(child=serializers.CharField(), help_text="Which words of the question it holds.")


class FoundUnit(serializers.Serializer):
    kind = serializers.CharField(help_text="prompt, reply, tool_call or subagent")
    event = serializers.IntegerField(help_text="The event's number in its session.")
    snippet = serializers.CharField(help_text="HTML: escaped text, the words in <mark>.")
    text = serializers.CharField(help_text="The same as plain text.")
    failed = serializers.BooleanField(help_text="The call went wrong.")
    score = serializers.FloatField()
    why = Why()
    url = serializers.URLField()
    occurred_at = serializers.DateTimeField()


class SearchResult(serializers.Serializer):
    kind = serializers.ChoiceField(["session", "event"])
    title = serializers.CharField()
    snippet = serializers.CharField(help_text="HTML: escaped text, the words in <mark>.")
    score = serializers.FloatField()
    why = Why()
    path = serializers.CharField(allow_null=True, help_text="In the virtual filesystem.")
    url = serializers.URLField(help_text="Opens at the very event.")
    session = serializers.UUIDField()
    event = serializers.IntegerField()
    author = serializers.CharField(help_text="A username.")
    author_name = serializers.CharField()
    harness = serializers.CharField()
    project = serializers.CharField(allow_null=True)
    occurred_at = serializers.DateTimeField()
    passages = FoundUnit(many=True)
    more = serializers.IntegerField(help_text="How many other events of the session fit as well.")


class SearchPage(serializers.Serializer):
    results = SearchResult(many=True)
    next = serializers.CharField(allow_null=True, help_text="Send it back as ?cursor=")
    mode = serializers.ChoiceField(["words", "words and meaning"])
    note = serializers.CharField(allow_blank=True, help_text="Why there is nothing.")
    ignored = serializers.ListField(child=serializers.CharField(), help_text="Filters that were not understood.")


def search_page(answer: Answer, team: str, group: str) -> dict[str, Any]:
    return {
        "results": [_result(hit, team, group) for hit in answer.hits],
        "next": signing.dumps(answer.next, salt="search") if answer.next is not None else None,
        "mode": "words and meaning" if answer.by_meaning else "words",
        "note": answer.note,
        "ignored": list(answer.ignored),
    }


def _result(hit: Hit, team: str, group: str) -> dict[str, Any]:
    session, passages = hit.session, [_unit(hit.session, found, team) for found in hit.units]
    first = passages[0]
    return {
        "kind": "session" if group == "session" else "event",
        "title": heading(hit),
        "score": round(hit.score, 4),
        "path": path_of(session) or None,
        "session": str(session.pk),
        "author": session.person.username,
        "author_name": session.person.display_name,
        "harness": session.harness,
        "project": session.project.slug if session.project else None,
        "passages": passages,
        "more": hit.more,
        **{name: first[name] for name in ("snippet", "why", "url", "event", "occurred_at")},
    }


def _unit(session: Session, found: Found, team: str) -> dict[str, Any]:
    event = found.event
    path = reverse("sessions:detail", kwargs={"team": team, "session_id": session.pk})
    return {
        "kind": event.kind,
        "event": event.number,
        "snippet": found.passage.html,
        "text": found.passage.text,
        "failed": event.ok is False,
        "score": round(found.score, 4),
        "why": {"bm25_rank": found.rank, "vector_rank": found.likeness, "words": sorted(found.passage.words)},
        "url": f"{settings.URL}{path}?at={event.number}#e{event.number}",
        "occurred_at": event.occurred_at.isoformat(),
    }
