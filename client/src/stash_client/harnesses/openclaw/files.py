"""Older sessions: a file each, and one index of all that says which slot a session is in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from stash_client.events import JSON
from stash_client.harnesses.base import identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.openclaw.results import agent_in_key
from stash_client.harnesses.openclaw.transcript import OpenClawReader
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.sources import lines_of, stem
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript

if TYPE_CHECKING:
    from stash_client.harnesses.base import Harness


def session_file(harness: Harness, path: str) -> Transcript:
    native_id = stem(path)
    index = _index(os.path.join(os.path.dirname(path), "sessions.json"))
    slot = next((key for key, entry in index.items() if entry.get("sessionId") == native_id), "")
    entry = index.get(slot, {})
    above = index.get(text_or(entry.get("parentSessionKey")) or text_or(entry.get("spawnedBy")), {})
    parent, agent = identifier(above.get("sessionId")), agent_in_key(slot)
    reader = OpenClawReader(harness, f"{parent}/{agent}" if parent and agent else native_id)
    reader.window_is(text_or(entry.get("displayName")), text_or(entry.get("model")))
    return Transcript(reader, lines_of(path))


def _index(path: str) -> Mapping[str, Mapping[str, JSON]]:
    try:
        return _read(path, os.stat(path).st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=4)
def _read(path: str, written: int) -> Mapping[str, Mapping[str, JSON]]:
    """``written`` makes a changed file another one. Raises OSError."""
    with open(path, "rb") as file:
        raw = file.read()
    try:
        return {key: fields_of(entry) for key, entry in fields_of(decode(raw)).items()}
    except (Empty, Unreadable):
        return {}
