"""Records that may be written again: the last state counts, in the place of the first."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses.reading import decode
from stash_client.harnesses.tools import fields_of

_LARGE = 4096


class Upserts:
    """Records by id, the large ones packed, until the file's end: nothing before it can be told for certain."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, bool, bytes]] = {}

    def put(self, key: str, n: int, record: Mapping[str, JSON], line: Optional[bytes] = None) -> None:
        """``n``: where it was read; the first such position stays. ``line``: the record as bytes, where it is a whole
        line."""
        # ASCII, because lone surrogates have no UTF-8.
        raw = line if line is not None else json.dumps(record).encode("ascii")
        large = len(raw) > _LARGE
        first = self._kept[key][0] if key in self._kept else n
        self._kept[key] = (first, large, zlib.compress(raw, 1) if large else raw)

    def drop(self, key: str) -> None:
        self._kept.pop(key, None)

    def drop_from(self, key: str) -> int:
        """Take back the record and all that came after it; returns how many."""
        if key not in self._kept:
            return 0
        gone = 0
        last = ""
        while last != key:
            last, _ = self._kept.popitem()
            gone += 1
        return gone

    def drain(self) -> Iterator[tuple[str, int, Mapping[str, JSON]]]:
        """(id, position, record) in the order of first appearance; each is forgotten as it is told."""
        for key in list(self._kept):
            n, large, raw = self._kept.pop(key)
            yield key, n, fields_of(decode(zlib.decompress(raw) if large else raw))
