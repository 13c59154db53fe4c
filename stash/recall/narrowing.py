"""Filters of a question as conditions on sessions and events. What means nothing narrows nothing, and is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from sessions_app.models import Session, SessionFile, SessionQuerySet
from stash.actors import Actor
from stash.search.dates import moment
from stash_client.ids import canonical_harness

KINDS: dict[str, Q] = {
    "prompt": Q(kind="prompt"),
    "reply": Q(kind="reply"),
    "tool": Q(kind="tool_call"),
    "command": Q(kind="tool_call", family="shell"),
    "edit": Q(kind="tool_call", family="edit"),
    "read": Q(kind="tool_call", family="read"),
    "agent": Q(kind="subagent"),
    "failure": Q(ok=False),
    "session": Q(),
}
_SAME = {"prompts": "prompt", "replies": "reply", "answer": "reply", "tool_call": "tool", "tools": "tool",
         "shell": "command", "commands": "command", "edits": "edit", "error": "failure", "errors": "failure",
         "failures": "failure", "failed": "failure", "subagent": "agent", "sessions": "session"}  # fmt: skip
_MOST_VALUES = 30
_STATES: dict[str, Q] = {
    "private": Q(visibility=Session.Visibility.PRIVATE),
    "shared": Q(visibility=Session.Visibility.PROJECT),
    "failed": Q(failed=True),
    "running": Q(status=Session.Status.WORKING),
    "waiting": Q(status=Session.Status.NEEDS_YOU),
    "ended": Q(status=Session.Status.ENDED),
}


@dataclass
class Narrowing:
    """``sessions``: what must hold for the session, ``events`` for the event. ``ignored``: filters without effect."""

    sessions: list[Q] = field(default_factory=list)
    events: list[Q] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.sessions or self.events)

    def visible(self, actor: Actor) -> SessionQuerySet:
        """The sessions this actor may see and the filters let through."""
        found = Session.objects.visible_to(actor)
        for condition in self.sessions:
            found = found.filter(condition)
        return found


def narrowing(actor: Actor, filters: Mapping[str, str]) -> Narrowing:
    made = Narrowing()
    for name, value in filters.items():
        value = value.replace("\0", "").strip()[:500]
        if value and not _HOW[name](made, actor, value):
            made.ignored.append(f"{name}:{value}")
    return made


def _any(value: str, condition: Callable[[str], Q]) -> Q:
    """Several values stand with commas between them; one of them is enough."""
    either = Q()
    for one in filter(None, (part.strip() for part in value.split(",")[:_MOST_VALUES])):
        either |= condition(one)
    return either


def _project(made: Narrowing, actor: Actor, value: str) -> bool:
    def called(name: str) -> Q:
        older = Q(project__old_slugs__slug=name.lower(), project__old_slugs__team_id=actor.team_id)
        return Q(project__slug=name.lower()) | Q(project__name__iexact=name) | older

    made.sessions.append(_any(value, called))
    return True


def _by(made: Narrowing, actor: Actor, value: str) -> bool:
    def who(name: str) -> Q:
        if name.lower() == "me":
            return Q(person_id=actor.user_id)
        named = Q(person__name__iexact=name) | Q(person__name__istartswith=f"{name} ")
        return Q(person__username__iexact=name.removeprefix("@")) | named

    made.sessions.append(_any(value, who))
    return True


def _harness(made: Narrowing, actor: Actor, value: str) -> bool:
    made.sessions.append(_any(value, lambda name: Q(harness=canonical_harness(name))))
    return True


def _kind(made: Narrowing, actor: Actor, value: str) -> bool:
    known = [KINDS[name] for one in value.lower().split(",") if (name := _SAME.get(one, one)) in KINDS]
    if not known:
        return False
    either = Q()
    for condition in known:
        either |= condition
    if all(known):  # "session" asks for nothing
        made.events.append(either)
    return True


def _file(made: Narrowing, actor: Actor, value: str) -> bool:
    touched = SessionFile.objects.filter(session=OuterRef("pk"), path__icontains=value)
    made.sessions.append(Q(Exists(touched)))
    return True


def _commit(made: Narrowing, actor: Actor, value: str) -> bool:
    if len(value) < 4:
        return False
    made.sessions.append(Q(commit__istartswith=value))
    return True


def _pull_request(made: Narrowing, actor: Actor, value: str) -> bool:
    """Until pull requests are known by themselves: where one is spoken of by its number or address."""
    number = value.rstrip("/").rsplit("/", 1)[-1].removeprefix("#")
    if not number.isdecimal():
        return False
    made.events.append(Q(text__contains=f"#{number}") | Q(output__contains=f"pull/{number}"))
    return True


def _since(made: Narrowing, actor: Actor, value: str) -> bool:
    start = moment(value, timezone.now())
    return start is not None and _between(made, start, None)


def _until(made: Narrowing, actor: Actor, value: str) -> bool:
    end = moment(value, timezone.now(), end=True)
    return end is not None and _between(made, None, end)


def _between(made: Narrowing, start: datetime | None, end: datetime | None) -> bool:
    if start:
        made.sessions.append(Q(last_event_at__gte=start))
        made.events.append(Q(occurred_at__gte=start))
    if end:
        made.sessions.append(Q(started_at__lt=end))
        made.events.append(Q(occurred_at__lt=end))
    return True


def _is(made: Narrowing, actor: Actor, value: str) -> bool:
    if value.lower() == "mine":
        made.sessions.append(Q(person_id=actor.user_id))
        return True
    if condition := _STATES.get(value.lower()):
        made.sessions.append(condition)
    return condition is not None


_HOW: dict[str, Callable[[Narrowing, Actor, str], bool]] = {
    "project": _project,
    "by": _by,
    "harness": _harness,
    "kind": _kind,
    "file": _file,
    "commit": _commit,
    "pr": _pull_request,
    "since": _since,
    "until": _until,
    "is": _is,
}
