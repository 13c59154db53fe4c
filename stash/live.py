"""Wakes watchers: the only module that touches the channel layer.

A hint carries no data, only "look again": the layer may lose or double it (and in-process layers reach one process
only), so every consumer reads from its own cursor and re-reads slowly by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction

from stash.hint_sender import HINTS, message, sender

logger = logging.getLogger(__name__)


def session_group(session_id: UUID) -> str:
    return f"session.{session_id.hex}"


def team_group(team_id: UUID) -> str:
    return f"team.{team_id.hex}"


def user_group(user_id: UUID) -> str:
    return f"user.{user_id.hex}"


def announce(*, groups: tuple[str, ...], hint: str) -> None:
    """Tell every watcher of these groups, once the current transaction has committed, that something changed.

    ``hint``: events, session, forgotten, membership. Never raises: a lost hint costs at most one slow tick.
    """
    transaction.on_commit(lambda: _send(groups, hint), robust=True)


def _send(groups: tuple[str, ...], hint: str) -> None:
    layer = get_channel_layer()
    if layer is None or (settings.ROLE in ("web", "worker", "recall") and not settings.REDIS_URL):
        return  # nobody listens to an in-process layer of a process without sockets
    if settings.ROLE in ("web", "worker", "recall"):
        sender(layer).send(groups, hint)
        return
    try:
        async_to_sync(layer.group_send)(HINTS, message((group, hint) for group in groups))
    except (OSError, RuntimeError):
        logger.warning("live hint not sent", exc_info=True)


Heard = Callable[[str], None]
"""What a listener does with a hint; it must not block."""


class Alarm:
    """The one ear of a process: wakes every reader of a group. Belongs to one event loop."""

    def __init__(self) -> None:
        self._heard: dict[str, set[Heard]] = {}
        self._channel: str | None = None
        self._task: asyncio.Task[None] | None = None

    async def listen(self, group: str, heard: Heard) -> None:
        layer = get_channel_layer()
        if layer is None:
            return
        self._heard.setdefault(group, set()).add(heard)
        if self._task is None or self._task.done():
            self._channel = await layer.new_channel()
            self._task = asyncio.create_task(self._receive(layer, self._channel))
            await layer.group_add(HINTS, self._channel)

    async def renew(self) -> None:
        """Membership of a group ends after a day in some layers, and with a restart of Redis in others."""
        layer = get_channel_layer()
        if layer is not None and self._channel and self._heard:
            await layer.group_add(HINTS, self._channel)

    async def leave(self, group: str, heard: Heard) -> None:
        ears = self._heard.get(group, set())
        ears.discard(heard)
        if ears:
            return
        self._heard.pop(group, None)
        if self._heard or self._task is None:
            return
        self._task.cancel()
        self._task = None
        layer = get_channel_layer()
        if layer is not None and self._channel:
            await layer.group_discard(HINTS, self._channel)

    async def _receive(self, layer: Any, channel: str) -> None:
        while True:
            try:
                said = await layer.receive(channel)
            except (OSError, RuntimeError):
                # Readers look again by themselves at every tick; this only has to come back.
                logger.warning("live hints interrupted", exc_info=True)
                await asyncio.sleep(1)
                continue
            for group, hint in said.get("hints", ()):
                for heard in tuple(self._heard.get(group, ())):
                    heard(hint)


_alarms: WeakKeyDictionary[asyncio.AbstractEventLoop, Alarm] = WeakKeyDictionary()


def alarm() -> Alarm:
    """The alarm of the running event loop."""
    return _alarms.setdefault(asyncio.get_running_loop(), Alarm())
