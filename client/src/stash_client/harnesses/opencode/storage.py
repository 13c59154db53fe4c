"""Older installations: a file each for every session, message and part under ``storage/``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.sources import stem
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Line


def session_files(path: str) -> Iterator[Line]:
    """The session of ``storage/session/<project>/<id>.json`` as the records the store has today."""
    storage = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    session = _read(path)
    yield {"session": session}
    native_id = text_or(session.get("id")) or stem(path)
    for message in _by_age(_all(os.path.join(storage, "message", native_id))):
        parts = _all(os.path.join(storage, "part", text_or(message.get("id")) or "-"))
        yield {"info": message, "parts": _by_age(parts)}


def _all(folder: str) -> Iterator[Mapping[str, JSON]]:
    """In the order of their ids, which grow with time."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.endswith(".json"):
            yield _read(os.path.join(folder, name))


def _by_age(records: Iterator[Mapping[str, JSON]]) -> list[Mapping[str, JSON]]:
    """Where all say when they began by that, else as they come."""
    listed = list(records)
    begun = [_begun(record) for record in listed]
    if None in begun:
        return listed
    return [record for _, _, record in sorted(zip(begun, range(len(listed)), listed), key=lambda item: item[:2])]


def _begun(record: Mapping[str, JSON]) -> Optional[int]:
    time = fields_of(record.get("time")) or fields_of(fields_of(record.get("state")).get("time"))
    return number(time.get("created", time.get("start")))


def _read(path: str) -> Mapping[str, JSON]:
    try:
        with open(path, "rb") as file:
            return fields_of(decode(file.read()))
    except (OSError, Empty, Unreadable):
        return {}
