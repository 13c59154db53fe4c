"""Sessions and queries about them in the shapes of the contract."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework import serializers

from sessions_app.models import Session
from sessions_app.selectors import STATES, SessionFilters, state_of
from stash_client.ids import canonical_harness

_PLAIN = (  # noqa: SIM905 - a line of names reads better than a column
    "native_id title visibility branch commit model status activity waiting_for events prompts tool_calls"
    " failures edits files lines_added lines_removed last_seq end_reason"
).split()
_TIMES = ("started_at", "last_event_at", "ended_at", "status_since")


class PersonName(serializers.Serializer):
    username = serializers.CharField()
    name = serializers.CharField()


class Tokens(serializers.Serializer):
    input = serializers.IntegerField()
    output = serializers.IntegerField()
    cache_read = serializers.IntegerField()
    cache_write = serializers.IntegerField()


class SessionObject(serializers.Serializer):
    """A session as ``session_object`` makes it."""

    id = serializers.UUIDField()
    short_id = serializers.CharField()
    url = serializers.URLField()
    title = serializers.CharField()
    person = PersonName()
    project = serializers.CharField(allow_null=True)
    parent = serializers.UUIDField(allow_null=True)
    harness = serializers.CharField()
    native_id = serializers.CharField()
    machine = serializers.CharField()
    visibility = serializers.ChoiceField(Session.Visibility.choices)
    branch = serializers.CharField()
    commit = serializers.CharField()
    model = serializers.CharField()
    status = serializers.ChoiceField(Session.Status.choices)
    state = serializers.ChoiceField(STATES, help_text="The same in a person's words.")
    status_since = serializers.DateTimeField()
    activity = serializers.CharField()
    waiting_for = serializers.CharField()
    started_at = serializers.DateTimeField()
    last_event_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    end_reason = serializers.CharField()
    events = serializers.IntegerField()
    prompts = serializers.IntegerField()
    tool_calls = serializers.IntegerField()
    failures = serializers.IntegerField()
    edits = serializers.IntegerField()
    files = serializers.IntegerField()
    lines_added = serializers.IntegerField()
    lines_removed = serializers.IntegerField()
    last_seq = serializers.IntegerField()
    tokens = Tokens()
    redactions = serializers.DictField(child=serializers.IntegerField())


class SessionPage(serializers.Serializer):
    results = SessionObject(many=True)
    next = serializers.CharField(allow_null=True, help_text="Send it back as ?cursor=")


class EventPage(serializers.Serializer):
    results = serializers.ListField(child=serializers.DictField(), help_text="seq, number, uid, kind and its fields.")
    next = serializers.CharField(allow_null=True, help_text="Send it back as ?after=")


class SessionQuery(serializers.Serializer):
    project = serializers.CharField(required=False, max_length=80)
    by = serializers.CharField(required=False, max_length=150, help_text="A username, or me.")
    harness = serializers.CharField(required=False, max_length=40)
    status = serializers.ChoiceField([*Session.Status.values, "running", "failed", "done"], required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)
    q = serializers.CharField(required=False, max_length=200, help_text="Words in title, branch or a file's path.")
    cursor = serializers.CharField(required=False, max_length=300)
    limit = serializers.IntegerField(required=False, min_value=1, max_value=200, default=50)

    def filters(self) -> SessionFilters:
        given = self.validated_data
        names = ("project", "by", "status", "since", "until", "q")
        chosen: dict[str, Any] = {name: given[name] for name in names if name in given}
        return SessionFilters(harness=canonical_harness(given["harness"]) if "harness" in given else "", **chosen)


class EventQuery(serializers.Serializer):
    after = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1, default=0)
    kind = serializers.CharField(required=False, max_length=200, help_text="One kind, or several with commas.")
    limit = serializers.IntegerField(required=False, min_value=1, max_value=500, default=100)


class SessionChange(serializers.Serializer):
    title = serializers.CharField(required=False, allow_blank=True, max_length=200)
    visibility = serializers.ChoiceField(Session.Visibility.choices, required=False)


class ForgetRequest(serializers.Serializer):
    since = serializers.DateTimeField(required=False, help_text="Left out: the whole session.")


class Forgotten(serializers.Serializer):
    forgotten = serializers.IntegerField(help_text="Events removed.")


def session_object(session: Session, team: str) -> dict[str, Any]:
    """The session as the contract shows it."""
    path = reverse("sessions:detail", kwargs={"team": team, "session_id": session.pk})
    found: dict[str, Any] = {
        "id": str(session.pk),
        "short_id": session.short_id,
        "url": settings.URL + path,
        "person": {"username": session.person.username, "name": session.person.display_name},
        "project": session.project.slug if session.project else None,
        "parent": str(session.parent_id) if session.parent_id else None,
        "harness": session.harness,
        "machine": session.machine_name,
        "state": state_of(session),
        "redactions": session.redactions,
        "tokens": {
            "input": session.tokens_in,
            "output": session.tokens_out,
            "cache_read": session.tokens_cache_read,
            "cache_write": session.tokens_cache_write,
        },
    }
    found |= {name: getattr(session, name) for name in _PLAIN}
    for name in _TIMES:
        value = getattr(session, name)
        found[name] = value.isoformat() if value else None
    return found
