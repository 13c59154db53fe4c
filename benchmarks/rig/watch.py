"""Somebody who watches a session over a WebSocket, and comes back where it left off whenever the line breaks."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Callable

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

LOST = (OSError, EOFError, TimeoutError, WebSocketException)


class Watcher:
    """``seen``: how often each event (by number) was shown; ``form``: html as browsers get it, or json."""

    def __init__(self, port: int, session: str, secret: str, *, form: str = "json") -> None:
        self.seen: Counter[int] = Counter()
        self.cursor, self.connected = 0, 0
        self._port, self._session, self._secret, self._form = port, session, secret, form

    @property
    def doubled(self) -> int:
        return sum(times - 1 for times in self.seen.values())

    @property
    def resumed(self) -> int:
        return max(self.connected - 1, 0)

    def missing(self, last: int) -> int:
        return last - len(self.seen)

    async def run(self, *, lifetime: Callable[[], float] | None = None) -> None:
        """Watch for ever; ``lifetime`` gives the seconds after which it breaks the line by itself."""
        while True:
            with contextlib.suppress(*LOST):
                await self._watch(lifetime() if lifetime else None)
            await asyncio.sleep(0.05)

    async def _watch(self, seconds: float | None) -> None:
        path = f"/ws/sessions/{self._session}/?after={self.cursor}&format={self._form}&ack=1"
        headers = {"Authorization": f"Bearer {self._secret}"}
        socket = await connect(
            f"ws://127.0.0.1:{self._port}{path}", additional_headers=headers, max_size=None, compression=None
        )
        self.connected += 1
        try:
            async with asyncio.timeout(seconds):
                async for text in socket:
                    self._note(json.loads(text))
                    await socket.send("1")
        finally:
            socket.transport.abort()

    def _note(self, update: dict) -> None:  # type: ignore[type-arg]
        if "seq" not in update:
            return
        events = update["events"] if "events" in update else [update["event"]]
        self.seen.update(event["number"] for event in events)
        self.cursor = update["seq"]


async def until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Wait for it, at most so long; whether it came true."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 (what is waited for happens in other processes)
                await asyncio.sleep(0.1)
    return condition()
