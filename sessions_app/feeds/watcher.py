"""One socket as a feed sees it, and the loop every feed runs."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, close_old_connections

from sessions_app.access import Access
from stash import live

logger = logging.getLogger(__name__)
T = TypeVar("T")

PAUSE = 0.15
"""Seconds between two updates of a watcher in a burst; the first goes out at once."""
ROOM = 8
"""Updates that may wait for one socket; then it is resumed later from its own cursor."""
NOT_VISIBLE, GONE = 4404, 4410
"""Close codes: may not see it (or it does not exist); was deleted while watched."""

# Reads of feeds wait for each other, never for requests, and requests never for them.
_readers = ThreadPoolExecutor(max_workers=4, thread_name_prefix="feed")


async def in_database(work: Callable[..., T], *args: Any) -> T:
    return await sync_to_async(_with_connection, thread_sensitive=False, executor=_readers)(work, *args)


def _with_connection(work: Callable[..., T], *args: Any) -> T:
    """A reader's thread lives as long as the process; its connection does not."""
    close_old_connections()
    try:
        return work(*args)
    finally:
        close_old_connections()


@dataclass(eq=False, slots=True)
class Watcher:
    """``cursor``: last seq handed over. ``acks``: whether the client confirms what it has shown; then no more than
    ROOM unconfirmed updates are under way, whatever the server in front buffers.
    """

    access: Access
    cursor: int = 0
    form: str = "html"
    acks: bool = False
    head: int = 0
    unconfirmed: int = 0
    closing: int = 0
    was_full: bool = False
    waiting: deque[tuple[str, ...]] = field(default_factory=deque)
    something: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ready(self) -> bool:
        return not self.closing and len(self.waiting) < ROOM and self.unconfirmed < ROOM

    def hand(self, texts: tuple[str, ...]) -> None:
        self.waiting.append(texts)
        self.something.set()
        if self.acks:
            self.unconfirmed += 1

    async def next(self) -> tuple[str, ...] | None:
        """What to send next; None when the socket is to be closed, whatever still waits."""
        await self.something.wait()
        if self.closing:
            return None
        self.was_full = len(self.waiting) >= ROOM
        texts = self.waiting.popleft()
        if not self.waiting:
            self.something.clear()
        return texts

    def confirm(self) -> None:
        self.unconfirmed = max(self.unconfirmed - 1, 0)

    def close(self, code: int) -> None:
        self.closing = code
        self.something.set()


class Feed:
    """Looks when it is woken and at every tick, at most once per PAUSE, while somebody watches."""

    ears: tuple[tuple[str, live.Heard], ...] = ()
    """Groups it listens to, and with what."""
    pause = PAUSE

    def __init__(self) -> None:
        self.watchers: set[Any] = set()
        self._woken = asyncio.Event()
        self._recheck = False
        self._task: asyncio.Task[None] | None = None

    async def join(self, watcher: Any) -> None:
        self.watchers.add(watcher)
        if self._task is None:
            self._task = asyncio.create_task(self._run())
            for group, heard in self.ears:
                await live.alarm().listen(group, heard)
        self.wake()

    async def leave(self, watcher: Any) -> None:
        self.watchers.discard(watcher)
        if self.watchers or self._task is None:
            return
        self.forget()
        self._task.cancel()
        self._task = None
        for group, heard in self.ears:
            await live.alarm().leave(group, heard)

    def forget(self) -> None:
        """Leave the registry, so that the next watcher starts a new feed."""

    def wake(self) -> None:
        self._woken.set()

    def hear(self, hint: str) -> None:
        if hint != "events":
            self._recheck = True
        self.wake()

    def hear_of_people(self, hint: str) -> None:
        """A team's group tells of every session; only who may see what matters here."""
        if hint == "membership":
            self.hear(hint)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            woken = await self._wait(settings.LIVE_TICK)
            started = loop.time()
            try:
                if not woken or self._recheck:
                    self._recheck = False
                    await self.check()
                if not woken:
                    await live.alarm().renew()
                await self.look()
            except (DatabaseError, OSError):
                logger.warning("live feed could not look", exc_info=True)
            except Exception:
                # A feed that died would leave its watchers waiting for ever.
                logger.exception("live feed failed")
            await asyncio.sleep(max(self.pause - (loop.time() - started), 0))

    async def _wait(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            return False
        finally:
            self._woken.clear()
        return True

    async def check(self) -> None:
        """Close the sockets of those who may no longer see it."""
        raise NotImplementedError

    async def look(self) -> None:
        """Hand every ready watcher what it has not had."""
        raise NotImplementedError
