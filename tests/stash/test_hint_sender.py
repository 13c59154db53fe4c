"""Hints of a process without an event loop arrive, each as one, and never disturb whoever sent them."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import pytest
from channels_redis.pubsub import RedisPubSubChannelLayer

from stash.hint_sender import HINTS, HintSender


class Recorder:
    """A channel layer that keeps what it is given, and refuses the first when told to."""

    def __init__(self, *, broken: bool = False) -> None:
        self.sent: list[list[list[str]]] = []
        self._broken = broken

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        assert group == HINTS
        if self._broken:
            self._broken = False
            raise ConnectionError
        self.sent.append(message["hints"])


def test_send_tells_all_groups_in_one_message():
    layer = Recorder()
    sender = HintSender(layer)
    sender.send(("session.1", "team.1"), "events")
    sender.flush()
    assert layer.sent == [[["session.1", "events"], ["team.1", "events"]]]


def test_send_while_hints_wait_joins_them():
    layer = Recorder()
    sender = HintSender(layer)
    held = asyncio.run_coroutine_threadsafe(_block(0.2), sender._loop)
    for n in range(50):
        sender.send((f"session.{n % 2}",), "events")
    held.result()
    sender.flush()
    assert layer.sent == [[["session.0", "events"], ["session.1", "events"]]]


async def _block(seconds: float) -> None:
    """Holds up the whole loop, as a busy machine does."""
    time.sleep(seconds)  # noqa: ASYNC251


def test_send_after_the_last_hint_went_sends_another():
    layer = Recorder()
    sender = HintSender(layer)
    for _ in range(2):
        sender.send(("session.1",), "events")
        sender.flush()
    assert layer.sent == [[["session.1", "events"]]] * 2


def test_send_after_a_failure_goes_on():
    layer = Recorder(broken=True)
    sender = HintSender(layer)
    for group in ("session.1", "session.2"):
        sender.send((group,), "events")
        sender.flush()
    assert layer.sent == [[["session.2", "events"]]]


@pytest.mark.redis
async def test_send_reaches_a_listener_of_another_loop():
    layer = RedisPubSubChannelLayer(hosts=[os.environ["REDIS_URL"]])
    channel = await layer.new_channel()
    await layer.group_add(HINTS, channel)
    sender = HintSender(layer)
    sender.send(("session.1",), "events")
    message = await asyncio.wait_for(layer.receive(channel), 10)
    assert message == {"type": "hint", "hints": [["session.1", "events"]]}
    await layer.flush()
