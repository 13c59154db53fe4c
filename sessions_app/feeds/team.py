"""The stream of a team: rows of sessions that changed, for lists and for home."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from uuid import UUID
from weakref import WeakKeyDictionary

from django.db.models import Q

from sessions_app.access import Access, actor_in
from sessions_app.feeds.watcher import NOT_VISIBLE, Feed, Watcher, in_database
from sessions_app.models import Session
from sessions_app.rendering.fragments import row_html
from sessions_app.selectors import state_of
from stash import live
from stash.actors import Actor

_LOOKED_AT = 100
_SHOWN = (  # noqa: SIM905 - a line of names reads better than a column
    "status status_since activity waiting_for title visibility project_id failed events files last_event_at tail"
).split()

HomeHtml = Callable[[Actor], str]


@dataclass(eq=False, slots=True)
class TeamWatcher(Watcher):
    """``view``: list (rows of changed sessions) or home (its whole moving part, drawn by ``home``)."""

    view: str = "list"
    project: str = ""
    home: HomeHtml | None = None
    pending: set[UUID] = field(default_factory=set)
    shown: str = ""


class TeamFeed(Feed):
    pause = 0.5

    def __init__(self, team_id: UUID, team: str, registry: dict[UUID, TeamFeed]) -> None:
        super().__init__()
        self.team_id, self.team = team_id, team
        self.ears = ((live.team_group(team_id), self.hear),)
        self._registry = registry
        self._known: dict[UUID, tuple[object, ...]] | None = None
        self._actors: dict[Access, Actor] = {}

    def forget(self) -> None:
        if self._registry.get(self.team_id) is self:
            del self._registry[self.team_id]

    async def join(self, watcher: TeamWatcher) -> None:
        self._recheck = True
        await super().join(watcher)

    async def check(self) -> None:
        """Roles and grants are read again; who left the team is shown out."""
        watchers = tuple(self.watchers)
        self._actors = await in_database(_actors, {watcher.access for watcher in watchers}, self.team_id)
        for watcher in watchers:
            if watcher.access not in self._actors:
                watcher.close(NOT_VISIBLE)

    async def look(self) -> None:
        sessions = {session.pk: session for session in await in_database(_recent, self.team_id)}
        facts = {pk: tuple(getattr(session, name) for name in _SHOWN) for pk, session in sessions.items()}
        before, self._known = self._known, facts
        changed = {pk for pk in facts if before is not None and before.get(pk) != facts[pk]}
        gone = set(before or ()) - set(facts)
        for watcher in self.watchers:
            watcher.pending |= changed | gone
        groups: dict[tuple[Access, str, str], list[TeamWatcher]] = {}
        for watcher in self.watchers:
            if watcher.ready and watcher.access in self._actors and (watcher.pending or not watcher.shown):
                groups.setdefault((watcher.access, watcher.view, watcher.project), []).append(watcher)
        for (access, view, project), watchers in groups.items():
            await self._serve(self._actors[access], view, project, watchers, sessions)

    async def _serve(
        self, actor: Actor, view: str, project: str, watchers: list[TeamWatcher], sessions: dict[UUID, Session]
    ) -> None:
        pending = set().union(*(watcher.pending for watcher in watchers))
        if view == "home" and watchers[0].home is not None:
            text = json.dumps({"home": await in_database(watchers[0].home, actor)})
        else:
            text = json.dumps(await in_database(self._rows, actor, project, pending, sessions))
        for watcher in watchers:
            watcher.pending.clear()
            if text != watcher.shown and (view == "home" or watcher.shown or pending):
                watcher.hand((text,))
            watcher.shown = text

    def _rows(self, actor: Actor, project: str, pending: set[UUID], sessions: dict[UUID, Session]) -> dict[str, object]:
        """Changed rows this actor may see, and the ids of those no longer to be shown. Runs in a reader's thread."""
        visible = Session.objects.visible_to(actor).filter(pk__in=pending)
        if project:
            visible = visible.filter(project__slug=project)
        allowed = set(visible.values_list("pk", flat=True))
        rows = [
            {
                "id": pk.hex,
                "state": state_of(sessions[pk]),
                "person": "me" if sessions[pk].person_id == actor.user_id else "other",
                "visibility": sessions[pk].visibility,
                "html": row_html(sessions[pk], self.team, mine=sessions[pk].person_id == actor.user_id),
            }
            for pk in allowed
            if pk in sessions
        ]
        rows.sort(key=lambda row: str(row["id"]))
        return {"rows": rows, "gone": sorted(pk.hex for pk in pending if pk not in allowed)}


def _actors(accesses: Iterable[Access], team_id: UUID) -> dict[Access, Actor]:
    found = {access: actor_in(access, team_id=team_id) for access in accesses}
    return {access: actor for access, actor in found.items() if actor is not None and "read" in actor.scopes}


def _recent(team_id: UUID) -> list[Session]:
    """What a first page can show: the newest, and older ones that are still open."""
    of_team = Session.objects.top_level().filter(team_id=team_id).select_related("person", "project")
    newest = list(of_team.order_by("-last_event_at", "-id")[:_LOOKED_AT])
    known = {session.pk for session in newest}
    still_open = of_team.filter(~Q(status=Session.Status.ENDED)).order_by("-last_event_at")[:_LOOKED_AT]
    return newest + [session for session in still_open if session.pk not in known]


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[UUID, TeamFeed]] = WeakKeyDictionary()


async def join_team(actor: Actor, watcher: TeamWatcher) -> TeamFeed:
    registry = _feeds.setdefault(asyncio.get_running_loop(), {})
    feed = registry.get(actor.team_id)
    if feed is None:
        feed = registry[actor.team_id] = TeamFeed(actor.team_id, actor.team_slug, registry)
    await feed.join(watcher)
    return feed
