"""Sends live hints from processes that have no event loop of their own (WSGI workers, background work).

A channel layer over Redis keeps its connections per event loop, and a loop made for one call would connect anew for
every hint: several times the cost of storing an event. So one thread per process keeps one loop and its connections.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
from typing import Any

logger = logging.getLogger(__name__)
_AT_EXIT_SECONDS = 1.0
_PAUSE = 0.1
"""Seconds between two hints to one group: watchers look no oftener, and under load publishing costs like storing."""
_MOST_REMEMBERED = 10_000


class HintSender:
    """Hints leave in the background, the first at once, then one per pause: a hint only says "look again"."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer
        self._waiting: set[tuple[str, str]] = set()
        self._last: dict[tuple[str, str], float] = {}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="live-hints", daemon=True).start()

    def send(self, groups: tuple[str, ...], hint: str) -> None:
        """Returns at once. Safe from every thread."""
        for group in groups:
            if (group, hint) not in self._waiting:
                self._waiting.add((group, hint))
                asyncio.run_coroutine_threadsafe(self._send(group, hint), self._loop)

    async def _send(self, group: str, hint: str) -> None:
        key = (group, hint)
        await asyncio.sleep(max(self._last.get(key, 0.0) + _PAUSE - self._loop.time(), 0))
        # Forgotten before it is sent: what commits from here on is a reason for another hint.
        self._waiting.discard(key)
        if len(self._last) >= _MOST_REMEMBERED:
            self._last.clear()
        self._last[key] = self._loop.time()
        try:
            await self._layer.group_send(group, {"type": "hint", "hint": hint, "group": group})
        except Exception:  # the edge of this thread; a lost hint costs at most one slow tick
            logger.warning("live hint not sent", exc_info=True)

    def flush(self) -> None:
        """Wait until what was asked for so far is sent, or a second."""
        done = asyncio.run_coroutine_threadsafe(self._quiet(), self._loop)
        try:
            done.result(_AT_EXIT_SECONDS)
        except TimeoutError:
            logger.warning("live hints left unsent at exit")

    async def _quiet(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others)


_senders: dict[int, HintSender] = {}
_making = threading.Lock()


def sender(layer: Any) -> HintSender:
    """The one of this process; a forked child, in which the thread is gone, gets its own."""
    pid = os.getpid()
    if (found := _senders.get(pid)) is None:
        with _making:
            if (found := _senders.get(pid)) is None:
                found = _senders[pid] = HintSender(layer)
                atexit.register(found.flush)
    return found
