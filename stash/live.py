"""Wakes watchers: the only module that touches the channel layer.

A hint carries no data, only "look again": the layer may lose or double it (and in-process layers reach one process
only), so every consumer reads from its own cursor and re-reads slowly by itself.
"""

from __future__ import annotations

import logging
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)


def session_group(session_id: UUID) -> str:
    return f"session.{session_id.hex}"


def team_group(team_id: UUID) -> str:
    return f"team.{team_id.hex}"


def user_group(user_id: UUID) -> str:
    return f"user.{user_id.hex}"


def announce(*, groups: tuple[str, ...], hint: str) -> None:
    """Tell every watcher of these groups, once the current transaction has committed, that something changed.

    ``hint``: events, session, membership. Never raises: a lost hint costs at most one slow tick.
    """
    transaction.on_commit(lambda: _send(groups, hint), robust=True)


def _send(groups: tuple[str, ...], hint: str) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        async_to_sync(_send_all)(layer, groups, hint)
    except (OSError, RuntimeError):
        logger.warning("live hint not sent", exc_info=True)


async def _send_all(layer, groups: tuple[str, ...], hint: str) -> None:  # type: ignore[no-untyped-def]
    for group in groups:
        await layer.group_send(group, {"type": "hint", "hint": hint, "group": group})
