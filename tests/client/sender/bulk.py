"""Many frames at once, past the inbox."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable

from stash_client.events import Prompt, SessionInfo
from stash_client.outbox import Outbox, clean_frame
from stash_client.privacy import scrub


def fill(wanted: Iterable[tuple[str, str, str, str]]) -> None:
    """(server, place, session, text) of each."""
    outbox, frames = Outbox(), []
    for server, place, session, text in wanted:
        event = Prompt(uid=str(uuid.uuid4()), n=time.time_ns(), occurred_at="2026-11-24T10:00:00+00:00", text=text)
        frames.append(clean_frame(server, place, scrub(SessionInfo("claude-code", session)), scrub(event)))
    outbox.append(frames)
    outbox.publish()
    outbox.close()
