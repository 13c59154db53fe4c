"""Asks the process with the models which units mean something like a question; without an answer, words decide."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from uuid import UUID

from django.conf import settings

_MOST_BYTES = 1 << 20


def socket_path() -> Path:
    return Path(settings.DATA_DIR, "meaning.sock")


def alike(
    text: str, most: int, *, team: UUID, keys: Collection[int] = (), among: Collection[int] | None = None
) -> Mapping[int, float]:
    """By unit, from 0 to 1: of ``keys``, and of the ``most`` nearest (of the sources ``among``). Empty when unknown."""
    if settings.EMBEDDING == "off":
        return {}
    asked = {"text": text, "most": most, "team": str(team), "keys": list(keys)}
    if among is not None:
        asked["among"] = list(among)
    try:
        answer = _exchange(json.dumps(asked).encode() + b"\n", time.monotonic() + settings.EMBEDDING_WAIT_MS / 1000)
        return {int(key): float(like) for key, like in json.loads(answer)["likeness"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _exchange(asked: bytes, deadline: float) -> bytes:
    """Connecting, asking and reading together end by the deadline."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(max(deadline - time.monotonic(), 0.001))
        line.connect(str(socket_path()))
        line.sendall(asked)
        answer = bytearray()
        while not answer.endswith(b"\n"):
            line.settimeout(max(deadline - time.monotonic(), 0.001))
            piece = line.recv(65536)
            if not piece or len(answer) > _MOST_BYTES:
                raise ConnectionError("No whole answer.")
            answer += piece
    return bytes(answer)
