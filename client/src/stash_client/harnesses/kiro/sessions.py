"""What Kiro keeps beside a session's records, and which session runs in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses.base import first
from stash_client.harnesses.content import text_or
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.sources import Source, stem
from stash_client.harnesses.tools import fields_of

_SIDECARS = Source("${KIRO_HOME:-~/.kiro}/sessions/cli/*.json", "json", lambda path: iter(()))
_NEWEST = 50
_MOST_BYTES = 1024 * 1024


def facts_beside(path: str) -> Mapping[str, str]:
    """Title and folder as arguments of ``Reader.enter``; {} where the file does not tell."""
    fields = _read(path)
    places = fields.get("workspacePaths")
    place = places[0] if isinstance(places, list) and places else fields.get("cwd")
    return {"title": text_or(fields.get("title")), "cwd": text_or(place)}


def with_session(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """Older builds do not say which session speaks: it is the one last written to in this folder."""
    cwd = text_or(payload.get("cwd"))
    if first(payload, "session") or not cwd:
        return payload
    for path in sorted(_SIDECARS.files(), key=_written, reverse=True)[:_NEWEST]:
        if text_or(_read(path).get("cwd")) == cwd:
            return {**payload, "session_id": stem(path)}
    return payload


def _written(path: str) -> float:
    """When the session last said something: its records are younger than what stands beside them."""
    times = [0.0]
    for name in (path, f"{path[: -len('.json')]}.jsonl"):
        try:
            times.append(os.stat(name).st_mtime)
        except OSError:
            continue
    return max(times)


def _read(path: str) -> Mapping[str, JSON]:
    try:
        with open(path, "rb") as file:
            return fields_of(decode(file.read(_MOST_BYTES)))
    except (OSError, Empty, Unreadable):
        return {}
