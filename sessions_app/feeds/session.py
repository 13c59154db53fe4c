"""The stream of one session: events in order of arrival, and what its header shows."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID
from weakref import WeakKeyDictionary

from sessions_app.access import still_watching
from sessions_app.feeds.watcher import GONE, NOT_VISIBLE, Feed, Watcher, in_database
from sessions_app.models import Event, Session
from sessions_app.rendering.events import child_of
from sessions_app.rendering.export import event_object
from sessions_app.rendering.fragments import head_html, view_html, views_of
from sessions_app.rendering.text import one_line
from sessions_app.selectors import events_after
from stash import live

BATCH = 100
"""Events in one update; somebody who comes back after a day gets many updates, not one huge."""
_CHUNKS = 8
_KEPT = 400
_SHOWN = (  # noqa: SIM905 - a line of names reads better than a column
    "status status_since activity title failed events prompts last_event_at tail trace trace_step waiting_for"
).split()


@dataclass(frozen=True, slots=True)
class Item:
    """One event as text, in the forms somebody asked for."""

    seq: int
    html: str = ""
    json: str = ""


class SessionFeed(Feed):
    def __init__(self, session: Session, registry: dict[UUID, SessionFeed]) -> None:
        super().__init__()
        self.session_id = session.pk
        self.team = session.team.slug
        self.ears = (
            (live.session_group(session.pk), self.hear),
            (live.team_group(session.team_id), self.hear_of_people),
        )
        self._registry = registry
        self._rendered: OrderedDict[tuple[int, bool], Item] = OrderedDict()
        self._head_facts: tuple[object, ...] = ()
        self._head_text = ""
        self._head = 0
        self._forgotten = False

    def forget(self) -> None:
        if self._registry.get(self.session_id) is self:
            del self._registry[self.session_id]

    def hear(self, hint: str) -> None:
        self._forgotten |= hint == "forgotten"
        super().hear(hint)

    async def check(self) -> None:
        """What is gone is gone for everybody, and they may know it: they saw it a moment ago."""
        if await in_database(_session, self.session_id) is None:
            self._close_all()
            return
        allowed = await in_database(still_watching, [watcher.access for watcher in self.watchers], self.session_id)
        for watcher in tuple(self.watchers):
            if watcher.access not in allowed:
                watcher.close(NOT_VISIBLE)

    def _close_all(self) -> None:
        for watcher in self.watchers:
            watcher.close(GONE)

    async def look(self) -> None:
        session = await in_database(_session, self.session_id)
        if session is None:
            self._close_all()
            return
        self._tell_forgotten()
        await self._note_head(session)
        for _ in range(_CHUNKS):
            behind = [watcher for watcher in self.watchers if watcher.ready and watcher.cursor < session.last_seq]
            if not behind:
                break
            await self._serve(session, behind)
        else:
            self.wake()
        self._hand_heads()

    def _tell_forgotten(self) -> None:
        """What was taken out cannot be taken out of a page piece by piece; it asks for itself again."""
        if self._forgotten:
            self._forgotten = False
            for watcher in self.watchers:
                if watcher.ready and watcher.form == "html":
                    watcher.hand(('{"reload":true}',))

    async def _serve(self, session: Session, behind: Collection[Watcher]) -> None:
        """One read for everybody near the newest cursor: who is far behind never delays who is not."""
        newest = max(watcher.cursor for watcher in behind)
        near = [watcher for watcher in behind if watcher.cursor >= newest - BATCH]
        start = min(watcher.cursor for watcher in near)
        forms = {watcher.form for watcher in near}
        items = await in_database(self._read, session, start, forms)
        last = items[-1].seq if items else start
        whole = len(items) < BATCH
        texts: dict[tuple[int, str], tuple[str, ...]] = {}
        for watcher in near:
            key = (watcher.cursor, watcher.form)
            if key not in texts:
                texts[key] = _update([item for item in items if item.seq > watcher.cursor], watcher.form)
            if texts[key] and watcher.ready:
                watcher.hand(texts[key])
                watcher.cursor = max(watcher.cursor, last)
            if whole and watcher.cursor >= last:
                # Renewed and forgotten events leave holes; without this a hole at the end would be asked for for ever.
                watcher.cursor = max(watcher.cursor, session.last_seq)

    def _read(self, session: Session, start: int, forms: Collection[str]) -> list[Item]:
        """Runs in a reader's thread."""
        events = events_after(session, start, BATCH)
        children = _children(session, events) if "html" in forms else {}
        return [self._item(event, session, children, forms) for event in events]

    def _item(self, event: Event, session: Session, children: dict[UUID, Session], forms: Collection[str]) -> Item:
        key = (event.seq, "html" in forms)
        if (known := self._rendered.get(key)) is not None:
            return known
        html = ""
        if "html" in forms:
            (view,) = views_of([event], session, self.team, children)
            html = json.dumps(
                {
                    "number": view.number,
                    "order": view.order,
                    "kind": view.kind,
                    "html": view_html(view, session, self.team),
                }
            )
        item = Item(event.seq, html, json.dumps({"seq": event.seq, "event": event_object(event)}, ensure_ascii=False))
        self._rendered[key] = item
        while len(self._rendered) > _KEPT:
            self._rendered.popitem(last=False)
        return item

    async def _note_head(self, session: Session) -> None:
        facts = tuple(getattr(session, name) for name in _SHOWN)
        if facts == self._head_facts:
            return
        self._head_facts = facts
        if any(watcher.form == "html" for watcher in self.watchers):
            html = await in_database(head_html, session, self.team)
            said = {"head": html, "title": one_line(session.title), "status": session.status}
            self._head_text = json.dumps(said)
            self._head += 1

    def _hand_heads(self) -> None:
        for watcher in self.watchers:
            if watcher.form == "html" and watcher.head != self._head and watcher.ready and self._head_text:
                watcher.hand((self._head_text,))
                watcher.head = self._head


def _update(items: list[Item], form: str) -> tuple[str, ...]:
    """One message with all fragments for a browser, one message per event for a script."""
    if not items:
        return ()
    if form == "json":
        return tuple(item.json for item in items)
    return (f'{{"seq":{items[-1].seq},"events":[{",".join(item.html for item in items)}]}}',)


def _session(session_id: UUID) -> Session | None:
    return Session.objects.select_related("person", "project", "team").filter(pk=session_id).first()


def _children(session: Session, events: list[Event]) -> dict[UUID, Session]:
    """Subagents are their parent's own; one that was made private alone is not shown to the parent's watchers."""
    identities = {found for event in events if (found := child_of(event))}
    if not identities:
        return {}
    alike = Session.objects.filter(parent_id=session.pk, visibility=session.visibility)
    return {child.pk: child for child in alike.filter(pk__in=identities)}


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[UUID, SessionFeed]] = WeakKeyDictionary()


async def join_session(session: Session, watcher: Watcher) -> SessionFeed:
    """Watch with everybody else in this process who watches this session."""
    registry = _feeds.setdefault(asyncio.get_running_loop(), {})
    feed = registry.get(session.pk)
    if feed is None:
        feed = registry[session.pk] = SessionFeed(session, registry)
    await feed.join(watcher)
    return feed
