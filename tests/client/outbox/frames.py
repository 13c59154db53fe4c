"""Frames to fill queues with."""

from __future__ import annotations

import uuid

from stash_client.events import Prompt, SessionInfo, ToolCall
from stash_client.outbox import Frame, clean_frame
from stash_client.privacy import scrub


def prompt(text: str, *, session: str = "s-1", server: str = "lab", place: str = "/shop", at: str = "") -> Frame:
    event = Prompt(uid=str(uuid.uuid4()), n=1, occurred_at=at or "2026-11-24T10:00:00+00:00", text=text)
    return clean_frame(server, place, scrub(SessionInfo("claude-code", session)), scrub(event))


def tool_call(output: str, *, session: str = "s-1", server: str = "lab") -> Frame:
    event = ToolCall(uid=str(uuid.uuid4()), occurred_at="2026-11-24T10:00:01+00:00", name="Bash", output=output)
    return clean_frame(server, "/shop", scrub(SessionInfo("claude-code", session)), scrub(event))


def texts(frames) -> list[str]:
    return [frame.event.get("text", frame.event.get("output")) for frame in frames]
