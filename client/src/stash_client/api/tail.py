"""Events as they come: by WebSocket where the way there lets one through, else by asking again and again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stash_client.api.errors import Refused, Unreachable
from stash_client.api.event import Event
from stash_client.api.http import jittered
from stash_client.api.websocket import Closed, NoWebSocket, listen

if TYPE_CHECKING:
    from stash_client.api.client import Stash

_FIRST_BREAK, _LONGEST_BREAK = 0.5, 30.0
_ASK_SOON, _ASK_LATE = 2.0, 15.0
"""Seconds between two questions where there is no WebSocket: short while something happens, then longer."""
_REFUSALS = {4401: (401, "The key is not valid any more."), 4403: (403, "This key may not read.")}
_OURS = 4000


def tail(stash: Stash, session_id: str, after: int) -> Iterator[Event]:
    """Events with a greater ``seq`` than ``after``, for ever. Raises Refused."""
    wait = _FIRST_BREAK
    while True:
        try:
            for event in _streamed(stash, session_id, after):
                after, wait = max(after, event.seq), _FIRST_BREAK
                yield event
        except NoWebSocket:
            yield from _asked(stash, session_id, after)
        except Closed as closed:
            if closed.code >= _OURS:
                raise _refusal(closed.code) from None
        except Unreachable:
            pass
        time.sleep(jittered(wait))
        wait = min(wait * 2, _LONGEST_BREAK)


def _streamed(stash: Stash, session_id: str, after: int) -> Iterator[Event]:
    url = f"{stash.url}/ws/sessions/{session_id}/?format=json&after={after}"
    with listen(url, stash.headers(), seconds=stash.seconds) as texts:
        for text in texts:
            try:
                said = json.loads(text)
            except ValueError:
                continue
            if isinstance(said, dict) and isinstance(said.get("event"), dict):
                yield Event.from_wire({"seq": said.get("seq", 0), **said["event"]})


def _asked(stash: Stash, session_id: str, after: int) -> Iterator[Event]:
    wait = _ASK_SOON
    while True:
        try:
            for event in stash.events(session_id, after=after):
                after, wait = max(after, event.seq), _ASK_SOON
                yield event
        except Unreachable:
            wait = _ASK_LATE
        time.sleep(wait)
        wait = min(wait * 1.5, _ASK_LATE)


def _refusal(code: int) -> Refused:
    status, detail = _REFUSALS.get(code, (404, "This session is not there, or not for you to see."))
    return Refused(status, {"code": "stream_closed", "detail": detail})
