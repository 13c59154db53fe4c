"""WebSockets: who connects, what it watches, and the sender that never holds up anybody else."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.utils import await_many_dispatch
from django.conf import settings
from django.utils.module_loading import import_string

from sessions_app.access import Access, access_of, actor_in, watchable
from sessions_app.feeds import NOT_VISIBLE, TeamWatcher, Watcher, join_session, join_team
from sessions_app.feeds.watcher import Feed

_UNAUTHENTICATED = 4401
_SLUG = re.compile(r"[-a-zA-Z0-9_]{1,80}")


class Watching(AsyncWebsocketConsumer):
    """What both sockets share. Feeds listen to the channel layer for all sockets of a process, so none has its own."""

    watcher: Watcher | None = None
    feed: Feed | None = None
    sender: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope, self.channel_layer, self.base_send = scope, None, send
        with suppress(StopConsumer):
            await await_many_dispatch([receive], self.dispatch)

    async def connect(self) -> None:
        said = parse_qs(self.scope["query_string"].decode("utf-8", "replace"))
        # No name holds a NUL, and a database that is asked for one fails everybody who is served with this watcher.
        self.query = {name: values[0].replace("\0", "\ufffd") for name, values in said.items()}
        access = await database_sync_to_async(access_of)(self.scope)
        if access is None:
            await self.refuse(_UNAUTHENTICATED)
            return
        await self.watch(access)

    async def watch(self, access: Access) -> None:
        raise NotImplementedError

    async def refuse(self, code: int) -> None:
        """Accepted first: a browser learns a close code only of an open socket."""
        await self.accept()
        await self.close(code)

    def number(self, name: str) -> int:
        value = self.query.get(name, "")
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0

    def slug(self, name: str) -> str:
        value = self.query.get(name, "")
        return value if _SLUG.fullmatch(value) else ""

    async def begin(self, feed: Feed, watcher: Watcher) -> None:
        self.feed, self.watcher = feed, watcher
        self.sender = asyncio.create_task(self._send_all(feed, watcher))

    async def _send_all(self, feed: Feed, watcher: Watcher) -> None:
        """Sends until the feed closes it. ``send`` may take as long as the client does; only this task waits."""
        try:
            while (texts := await watcher.next()) is not None:
                for text in texts:
                    await self.send(text_data=text)
                if watcher.was_full:
                    feed.wake()
            await self.close(watcher.closing)
        finally:
            await feed.leave(watcher)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """The only thing a client says is that it has shown an update."""
        if self.watcher is not None and self.feed is not None and self.watcher.acks:
            was_ready = self.watcher.ready
            self.watcher.confirm()
            if not was_ready:
                self.feed.wake()

    async def disconnect(self, code: int) -> None:
        if self.sender is not None:
            self.sender.cancel()
            with suppress(asyncio.CancelledError):
                await self.sender


class SessionConsumer(Watching):
    """/ws/sessions/<id>/?after=<seq>&format=html|json&ack=1"""

    async def watch(self, access: Access) -> None:
        session = await database_sync_to_async(watchable)(access, self.scope["url_route"]["kwargs"]["session_id"])
        if session is None:
            await self.refuse(NOT_VISIBLE)
            return
        await self.accept()
        watcher = Watcher(
            access,
            cursor=self.number("after"),
            form="json" if self.query.get("format") == "json" else "html",
            acks=self.query.get("ack") == "1",
        )
        feed = await join_session(session, watcher)
        await self.begin(feed, watcher)


class ActivityConsumer(Watching):
    """/ws/activity/?team=<slug>&project=<slug>&view=list|home"""

    async def watch(self, access: Access) -> None:
        actor = await database_sync_to_async(_reader)(access, self.slug("team"))
        if actor is None:
            await self.refuse(NOT_VISIBLE)
            return
        await self.accept()
        home: Any = import_string(settings.HOME_FRAGMENT) if self.query.get("view") == "home" else None
        watcher = TeamWatcher(
            access,
            view="home" if home else "list",
            project=self.slug("project"),
            home=home,
            acks=self.query.get("ack") == "1",
        )
        feed = await join_team(actor, watcher)
        await self.begin(feed, watcher)


class Nowhere(AsyncWebsocketConsumer):
    """Any other address: closed as if there were something one may not see."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_VISIBLE)


def _reader(access: Access, team: str) -> Any:
    actor = actor_in(access, team=team)
    return actor if actor is not None and "read" in actor.scopes else None
