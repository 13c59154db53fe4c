"""Records that may be written again: the last state counts, in the place of the first."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping

from stash_client.events import JSON


class Upserts:
    """Records by id, kept packed until the file's end: nothing before it can be told for certain."""

    def __init__(self) -> None:
        self._packed: dict[str, tuple[int, bytes]] = {}

    def put(self, key: str, n: int, record: Mapping[str, JSON]) -> None:
        """``n``: where it was read; the first such position stays."""
        first, _ = self._packed.get(key, (n, b""))
        # ASCII, because lone surrogates have no UTF-8.
        self._packed[key] = (first, zlib.compress(json.dumps(record).encode("ascii"), 1))

    def get(self, key: str) -> Mapping[str, JSON]:
        return _unpacked(self._packed[key][1]) if key in self._packed else {}

    def drop(self, key: str) -> None:
        self._packed.pop(key, None)

    def drop_from(self, key: str) -> int:
        """Take back the record and all that came after it; returns how many."""
        keys = list(self._packed)
        gone = keys[keys.index(key) :] if key in self._packed else []
        for later in gone:
            del self._packed[later]
        return len(gone)

    def drain(self) -> Iterator[tuple[str, int, Mapping[str, JSON]]]:
        """(id, position, record) in the order of first appearance; each is forgotten as it is told."""
        while self._packed:
            key = next(iter(self._packed))
            n, packed = self._packed.pop(key)
            yield key, n, _unpacked(packed)


def _unpacked(packed: bytes) -> Mapping[str, JSON]:
    record: Mapping[str, JSON] = json.loads(zlib.decompress(packed))
    return record
