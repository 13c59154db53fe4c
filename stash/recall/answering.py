"""The other end of ``meaning.alike``: questions over a Unix socket, answered from memory."""

from __future__ import annotations

import json
import os
import socketserver
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import numpy as np

from stash.errors import StashError
from stash.recall.embedder import Embedder, Reading
from stash.recall.meaning import socket_path
from stash.recall.speakers import without_names
from stash.vectors.encoders import Vectors
from stash.vectors.likeness import Shelf

FIRST, OTHERS = 0.7, 0.3
"""How the first model counts, and the others together."""
_MOST_ASKED = 1 << 20


Understood = Sequence[tuple[Shelf, Vectors]]
"""A question as each model understands it, with what that model has read of the team."""


def understood(readings: Sequence[Reading], text: str, team: UUID) -> Understood:
    asked = []
    for reading in readings:
        if reading.row.complete and team in reading.shelves:
            vector = reading.encoder.encode([without_names(text, reading.speakers.get(team, ()))])[0]
            asked.append((reading.shelves[team], vector))
    return asked


def alike(
    asked: Understood, most: int, keys: Collection[int], among: Collection[int] | None = None
) -> dict[int, float]:
    """From 0 to 1: the least and the most alike of those that come into question."""
    pool = set(keys).union(*(shelf.nearest(vector, most, among) for shelf, vector in asked))
    return _together([shelf.likeness(vector, pool) for shelf, vector in asked])


def _together(rows: Sequence[dict[int, float]]) -> dict[int, float]:
    total: dict[int, float] = {}
    for place, row in enumerate(rows):
        share = 1.0 if len(rows) == 1 else FIRST if not place else OTHERS / (len(rows) - 1)
        for key, score in _spread(row).items():
            total[key] = total.get(key, 0.0) + share * score
    return total


def _spread(scores: dict[int, float]) -> dict[int, float]:
    if not scores:
        return {}
    values = np.fromiter(scores.values(), dtype=np.float64, count=len(scores))
    least, most = values.min(), values.max()
    return dict(zip(scores, ((values - least) / (most - least or 1.0)).tolist(), strict=True))


class _Handler(socketserver.StreamRequestHandler):
    """Two lines from who asks: the text, and once words were looked up, the units to compare it with."""

    timeout = 5.0

    def handle(self) -> None:
        with suppress(OSError, ValueError, KeyError, TypeError, StashError):
            asked = self._next()
            said = understood(self.server.readings, str(asked["text"]), UUID(asked["team"]))  # type: ignore[attr-defined]
            asked = self._next()
            found = alike(said, int(asked["most"]), asked["keys"], asked["among"])
            likeness = [(key, round(like, 4)) for key, like in found.items()]
            self.wfile.write(json.dumps({"likeness": likeness}).encode() + b"\n")

    def _next(self) -> dict[str, Any]:
        return dict(json.loads(self.rfile.readline(_MOST_ASKED)))


class Answerer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Listens until it is closed. A socket that a killed process left is replaced."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, embedder: Embedder) -> None:
        self.readings = embedder.readings
        self.path = socket_path()
        self.path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            super().__init__(str(self.path), _Handler)
        finally:
            os.umask(before)

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, name="answering", daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self.path.unlink(missing_ok=True)
