"""Vectors in memory, by team: which units mean most nearly what a text means.

Up to ten thousand units every one is compared exactly. Beyond that the signs of their numbers, one bit each,
choose those that are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from threading import Lock
from typing import Any

import numpy as np

from stash.search.postings import UNIT_BITS
from stash.vectors.encoders import Vectors

_EXACT = 10_000
_CHOSEN = 4_000
_GROW = 1.5


def packed(vectors: Vectors) -> list[bytes]:
    """Signed bytes: a two-hundredth of the largest number is lost, and three quarters of the room is saved."""
    most = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    return [row.tobytes() for row in np.round(vectors / most * 127).astype(np.int8)]


class Shelf:
    """The vectors of one team by one model, sorted by key."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._keys: Any = np.zeros(0, dtype=np.int64)
        self._rows: Any = np.zeros((0, dimension), dtype=np.int8)
        self._floats: Any = None
        self._scale: Any = np.zeros(0, dtype=np.float32)
        self._signs: Any = np.zeros((0, dimension // 8), dtype=np.uint8)
        self._new: dict[int, bytes] = {}
        self._lock = Lock()

    def add(self, rows: Iterable[tuple[int, bytes]]) -> None:
        with self._lock:
            self._new.update(rows)

    @property
    def keys(self) -> Any:
        self._settle()
        return self._keys

    def drop(self, sources: Collection[int]) -> None:
        self._settle()
        with self._lock:
            self._keep(~np.isin(self._keys >> UNIT_BITS, list(sources)))

    def _keep(self, which: Any) -> None:
        self._floats = None
        self._keys, self._rows, self._scale = self._keys[which], self._rows[which], self._scale[which]
        self._signs = self._signs[which]

    def _ready(self) -> Any:
        """The numbers to compare with; few enough of them are kept as the processor wants them."""
        if self._floats is None:
            self._floats = self._rows.astype(np.float32) if len(self._rows) <= _EXACT else self._rows
        return self._floats

    def _settle(self) -> None:
        """Take in what was added since the last question."""
        with self._lock:
            if not self._new:
                return
            keys = np.fromiter(self._new, dtype=np.int64, count=len(self._new))
            rows = np.frombuffer(b"".join(self._new.values()), dtype=np.int8).reshape(-1, self._dimension)
            self._new = {}
            self._keep(~np.isin(self._keys, keys))
            scale = 1 / np.maximum(np.linalg.norm(rows.astype(np.float32), axis=1), 1e-9)
            keys = np.concatenate([self._keys, keys])
            order = np.argsort(keys)
            self._keys = keys[order]
            self._rows = np.concatenate([self._rows, rows])[order]
            self._scale = np.concatenate([self._scale, scale.astype(np.float32)])[order]
            self._signs = np.concatenate([self._signs, np.packbits(rows > 0, axis=1)])[order]

    def nearest(self, vector: Any, most: int, among: Collection[int] | None = None) -> set[int]:
        """Keys of the units that mean most nearly this, of sources ``among`` if said."""
        self._settle()
        with self._lock:
            keys, rows, scale, signs = self._keys, self._ready(), self._scale, self._signs
        places = np.arange(len(keys))
        if among is not None:
            places = np.flatnonzero(np.isin(keys >> UNIT_BITS, np.array(sorted(among), dtype=np.int64)))
        if len(places) > _EXACT:
            apart = np.bitwise_count(signs[places] ^ np.packbits(vector > 0)).sum(axis=1, dtype=np.int32)
            places = places[np.argpartition(apart, _CHOSEN)[:_CHOSEN]]
        some = rows if len(places) == len(rows) else rows[places]
        likeness = some.astype(np.float32, copy=False) @ vector * scale[places]
        if len(places) > most:
            places = places[np.argpartition(-likeness, most)[:most]]
        return set(keys[places].tolist())

    def likeness(self, vector: Any, keys: Collection[int]) -> dict[int, float]:
        """The cosine with each of these units that is here."""
        with self._lock:
            known, rows, scale = self._keys, self._ready(), self._scale
        places = self._places_of(known, keys)
        cosines = rows[places].astype(np.float32, copy=False) @ vector * scale[places]
        return dict(zip(known[places].tolist(), cosines.tolist(), strict=True))

    @staticmethod
    def _places_of(all_keys: Any, keys: Collection[int]) -> Any:
        if not len(all_keys):
            return np.zeros(0, dtype=np.int64)
        asked = np.array(sorted(keys), dtype=np.int64)
        places = np.minimum(np.searchsorted(all_keys, asked), len(all_keys) - 1)
        return places[all_keys[places] == asked]
