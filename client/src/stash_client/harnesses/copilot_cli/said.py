"""The end of a turn does not say what was answered, only where that is written down."""

from __future__ import annotations

import os
from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses.base import first, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.sources import folder_of
from stash_client.harnesses.tools import fields_of

_STOPS = frozenset({"agentStop", "Stop"})
_TAIL = 256 * 1024


def with_last_words(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """The payload with the last answer of the turn and that message's id, if the session file has it by now."""
    path = text_or(payload.get("transcriptPath")) or text_or(payload.get("transcript_path"))
    session = identifier(first(payload, "session"))
    if event not in _STOPS or os.path.basename(path) != "events.jsonl" or folder_of(path) != session:
        return payload
    said = _last_message(path)
    text = text_or(said.get("content"))
    if not text.strip():
        return payload
    return {**payload, "last_assistant_message": text, "message_id": identifier(said.get("messageId"))}


def _last_message(path: str) -> Mapping[str, JSON]:
    """The agent's last message with words since the last prompt."""
    for line in reversed(_tail(path)):
        try:
            record = fields_of(decode(line))
        except (Empty, Unreadable):
            continue
        data = fields_of(record.get("data"))
        if record.get("type") == "user.message":
            break
        if record.get("type") == "assistant.message" and data.get("content") and not data.get("parentToolCallId"):
            return data
    return {}


def _tail(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - _TAIL, 0))
            return file.read(_TAIL).splitlines()
    except OSError:
        return []
