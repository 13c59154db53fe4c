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

from stash.hint_sender import sender

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
    if layer is None or (settings.ROLE in ("web", "worker") and not settings.REDIS_URL):
        return  # nobody listens to an in-process layer of a process without sockets
    if settings.ROLE in ("web", "worker"):
        sender(layer).send(groups, hint)
        return
    try:
        async_to_sync(_send_all)(layer, groups, hint)
    except (OSError, RuntimeError):
        logger.warning("live hint not sent", exc_info=True)


async def _send_all(layer, groups: tuple[str, ...], hint: str) -> None:  # type: ignore[no-untyped-def]
    for group in groups:
        await layer.group_send(group, {"type": "hint", "hint": hint, "group": group})


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
        if self._task is None or self._task.done():
            self._channel = await layer.new_channel()
            self._task = asyncio.create_task(self._receive(layer, self._channel))
        new = group not in self._heard
        self._heard.setdefault(group, set()).add(heard)
        if new:
            await layer.group_add(group, self._channel)

    async def renew(self, group: str) -> None:
        """Membership of a group ends after a day in some layers, and with a restart of Redis in others."""
        layer = get_channel_layer()
        if layer is not None and self._channel and group in self._heard:
            await layer.group_add(group, self._channel)

    async def leave(self, group: str, heard: Heard) -> None:
        ears = self._heard.get(group)
        if ears is None:
            return
        ears.discard(heard)
        if ears:
            return
        del self._heard[group]
        layer = get_channel_layer()
        if layer is not None and self._channel:
            await layer.group_discard(group, self._channel)
        if not self._heard and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _receive(self, layer: Any, channel: str) -> None:
        while True:
            try:
                message = await layer.receive(channel)
            except (OSError, RuntimeError):
                # Readers look again by themselves at every tick; this only has to come back.
                logger.warning("live hints interrupted", exc_info=True)
                await asyncio.sleep(1)
                continue
            for heard in tuple(self._heard.get(message.get("group", ""), ())):
                heard(str(message.get("hint", "")))


_alarms: WeakKeyDictionary[asyncio.AbstractEventLoop, Alarm] = WeakKeyDictionary()


def alarm() -> Alarm:
    """The alarm of the running event loop."""
    return _alarms.setdefault(asyncio.get_running_loop(), Alarm())
