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
from collections.abc import Iterable
from typing import Any

logger = logging.getLogger(__name__)
_AT_EXIT_SECONDS = 1.0
_PAUSE = 0.05
"""Seconds between two messages: watchers look no oftener, and under load each would cost like storing an event."""
HINTS = "hints"
"""The one group of the channel layer: every process with watchers is in it."""


def message(hints: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """What goes over the layer: (group, hint) pairs."""
    return {"type": "hint", "hints": [list(pair) for pair in hints]}


class HintSender:
    """Hints leave in the background, the first at once, then all that came in a pause together."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer
        self._waiting: dict[tuple[str, str], None] = {}
        self._is_due = False
        self._lock = threading.Lock()
        self._last = 0.0
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="live-hints", daemon=True).start()

    def send(self, groups: tuple[str, ...], hint: str) -> None:
        """Returns at once. Safe from every thread."""
        with self._lock:
            self._waiting.update(dict.fromkeys((group, hint) for group in groups))
            was_due, self._is_due = self._is_due, True
        if not was_due:
            asyncio.run_coroutine_threadsafe(self._send(), self._loop)

    async def _send(self) -> None:
        await asyncio.sleep(max(self._last + _PAUSE - self._loop.time(), 0))
        # Taken before they are sent: what commits from here on is a reason for other hints.
        with self._lock:
            hints, self._waiting, self._is_due = list(self._waiting), {}, False
        self._last = self._loop.time()
        try:
            await self._layer.group_send(HINTS, message(hints))
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
