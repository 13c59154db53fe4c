"""Hints of a process without an event loop arrive, each as one, and never disturb whoever sent them."""

from __future__ import annotations

import asyncio
import os
import time

import pytest
from channels_redis.pubsub import RedisPubSubChannelLayer

from stash.hint_sender import HintSender


class Recorder:
    """A channel layer that keeps what it is given, when ``open`` allows it."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    async def group_send(self, group: str, message: dict[str, str]) -> None:
        if group == "broken":
            raise ConnectionError
        self.sent.append((group, message["hint"]))


def test_send_gives_each_group_its_hint():
    layer = Recorder()
    sender = HintSender(layer)
    sender.send(("session.1", "team.1"), "events")
    sender.flush()
    assert layer.sent == [("session.1", "events"), ("team.1", "events")]


def test_send_while_the_same_hint_waits_sends_one():
    layer = Recorder()
    sender = HintSender(layer)
    held = asyncio.run_coroutine_threadsafe(_block(0.2), sender._loop)
    for _ in range(50):
        sender.send(("session.1",), "events")
    held.result()
    sender.flush()
    assert layer.sent == [("session.1", "events")]


async def _block(seconds: float) -> None:
    """Holds up the whole loop, as a busy machine does."""
    time.sleep(seconds)  # noqa: ASYNC251


def test_send_after_the_last_hint_went_sends_another():
    layer = Recorder()
    sender = HintSender(layer)
    for _ in range(2):
        sender.send(("session.1",), "events")
        sender.flush()
    assert layer.sent == [("session.1", "events")] * 2


def test_send_after_a_failure_goes_on():
    layer = Recorder()
    sender = HintSender(layer)
    sender.send(("broken", "session.1"), "events")
    sender.flush()
    assert layer.sent == [("session.1", "events")]


@pytest.mark.redis
async def test_send_reaches_a_listener_of_another_loop():
    layer = RedisPubSubChannelLayer(hosts=[os.environ["REDIS_URL"]])
    channel = await layer.new_channel()
    await layer.group_add("session.1", channel)
    sender = HintSender(layer)
    sender.send(("session.1",), "events")
    message = await asyncio.wait_for(layer.receive(channel), 10)
    assert message == {"type": "hint", "hint": "events", "group": "session.1"}
    await layer.flush()
