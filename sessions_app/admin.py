"""The operator's view of sessions and events: to find and to count, not to read what is private to a person."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from sessions_app.models import Event, Session, SessionFile, UnknownSeen
from stash.audit.admin import ReadOnly

_WORDS = ("title", "cwd", "activity", "waiting_for", "tail", "trace", "policy")


@admin.register(Session)
class SessionAdmin(ReadOnly):
    list_display = ("shown_title", "person", "project", "harness", "status", "visibility", "events", "last_event_at")
    list_filter = ("status", "visibility", "harness", "team", "last_event_at")
    list_select_related = ("person", "project")
    search_fields = ("=id", "=native_id", "person__username", "project__slug", "branch")
    date_hierarchy = "last_event_at"
    show_full_result_count = False

    @admin.display(description="title")
    def shown_title(self, session: Session) -> str:
        return "Private session" if session.visibility == Session.Visibility.PRIVATE else str(session)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Session | None:
        """The page's own heading is the title, which is words too."""
        session: Session | None = super().get_object(request, object_id, from_field)
        if session is not None and session.visibility == Session.Visibility.PRIVATE:
            session.title = ""
        return session

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Of a private session only what says that it exists and how large it is."""
        names = [field.name for field in Session._meta.concrete_fields]
        is_private = obj is not None and obj.visibility == Session.Visibility.PRIVATE
        return [name for name in names if not (is_private and name in _WORDS)]


class SharedOnly(ReadOnly):
    """Rows of sessions that are shared with their project; private ones are their person's alone."""

    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(session__visibility=Session.Visibility.PROJECT)


@admin.register(Event)
class EventAdmin(SharedOnly):
    list_display = ("number", "kind", "name", "family", "ok", "exit_code", "occurred_at", "session")
    list_filter = ("kind", "family", "ok")
    list_select_related = ("session",)
    search_fields = ("=session__id", "=uid", "=call_id", "name")
    ordering = ("-id",)


@admin.register(SessionFile)
class SessionFileAdmin(SharedOnly):
    list_display = ("path", "edits", "reads", "lines_added", "lines_removed", "session")
    list_select_related = ("session",)
    search_fields = ("path", "=session__id")


@admin.register(UnknownSeen)
class UnknownSeenAdmin(ReadOnly):
    """What parsers have yet to learn."""

    list_display = ("harness", "harness_version", "name", "times", "last_seen_at")
    list_filter = ("harness", "harness_version")
    search_fields = ("name",)
