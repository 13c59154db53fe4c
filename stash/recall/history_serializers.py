"""The shape of ``GET /history``: who dealt with something before, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework import serializers

from sessions_app.filing import path_of
from stash.recall.conclusions import Said
from stash.recall.history import Colleague, Episode, History
from stash.recall.searching import heading
from stash.recall.serializers import AnyText


class HistoryQuery(serializers.Serializer):
    q = AnyText(required=False, default="", help_text="A question; a person's name in it asks for that person.")
    project = serializers.CharField(required=False, max_length=80)
    by = serializers.CharField(required=False, max_length=150)
    since = serializers.CharField(required=False, max_length=60)
    until = serializers.CharField(required=False, max_length=60)
    limit = serializers.IntegerField(required=False, min_value=1, max_value=20, default=8, help_text="Sessions.")


class SaidObject(serializers.Serializer):
    event = serializers.IntegerField()
    text = serializers.CharField()
    occurred_at = serializers.DateTimeField()
    url = serializers.URLField()


class EpisodeObject(serializers.Serializer):
    session = serializers.UUIDField()
    title = serializers.CharField()
    project = serializers.CharField(allow_null=True)
    harness = serializers.CharField()
    branch = serializers.CharField(allow_blank=True)
    path = serializers.CharField(allow_null=True, help_text="In the virtual filesystem.")
    url = serializers.URLField(help_text="Opens at the event that fits best.")
    started_at = serializers.DateTimeField()
    last_event_at = serializers.DateTimeField()
    events = serializers.IntegerField()
    matches = serializers.IntegerField(help_text="How many of them fit.")
    conclusions = SaidObject(many=True, help_text="What the agent said last about it.")
    open = SaidObject(many=True, help_text="What it said to be unsolved, or waits for.")
    dead_ends = serializers.ListField(child=serializers.CharField(), help_text="What was tried in vain.")
    passages = SaidObject(many=True)


class ColleagueObject(serializers.Serializer):
    username = serializers.CharField()
    name = serializers.CharField()
    named = serializers.BooleanField(help_text="The question names this person.")
    sessions = EpisodeObject(many=True)


class HistoryObject(serializers.Serializer):
    people = ColleagueObject(many=True)
    note = serializers.CharField(allow_blank=True)
    ignored = serializers.ListField(child=serializers.CharField())


def history_object(found: History, team: str) -> dict[str, Any]:
    return {
        "people": [_colleague(one, team) for one in found.people],
        "note": found.note,
        "ignored": list(found.ignored),
    }


def _colleague(one: Colleague, team: str) -> dict[str, Any]:
    return {
        "username": one.person.username,
        "name": one.person.display_name,
        "named": one.named,
        "sessions": [_episode(episode, team) for episode in one.episodes],
    }


def _episode(episode: Episode, team: str) -> dict[str, Any]:
    session = episode.hit.session
    base = settings.URL + reverse("sessions:detail", kwargs={"team": team, "session_id": session.pk})
    units = episode.hit.units
    passages = [Said(unit.event.number, unit.passage.text, unit.event.occurred_at, unit.passage) for unit in units]
    return {
        "session": str(session.pk),
        "title": heading(episode.hit),
        "project": session.project.slug if session.project else None,
        "harness": session.harness,
        "branch": session.branch,
        "path": path_of(session) or None,
        "url": _at(base, units[0].event.number),
        "started_at": session.started_at.isoformat(),
        "last_event_at": session.last_event_at.isoformat(),
        "events": session.events,
        "matches": episode.matches,
        "conclusions": _said(episode.ending.conclusions, base),
        "open": _said(episode.ending.open, base),
        "dead_ends": list(episode.failed),
        "passages": _said(passages, base),
    }


def _said(parts: Sequence[Said], base: str) -> list[dict[str, Any]]:
    return [
        {"event": one.number, "text": one.text, "occurred_at": one.at.isoformat(), "url": _at(base, one.number)}
        for one in parts
    ]


def _at(base: str, number: int) -> str:
    return f"{base}?at={number}#e{number}"
