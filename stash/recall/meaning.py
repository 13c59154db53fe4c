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


class Asked:
    """A question on its way: the text is understood over there while words are looked up here."""

    def __init__(self, text: str, team: UUID) -> None:
        self._line: socket.socket | None = None
        if settings.EMBEDDING == "off":
            return
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(_seconds())
            line.connect(str(socket_path()))
            line.sendall(_line({"text": text, "team": str(team)}))
            self._line = line
        except OSError:
            line.close()

    def alike(self, most: int, keys: Collection[int] = (), among: Collection[int] | None = None) -> Mapping[int, float]:
        """By unit, from 0 to 1: of ``keys``, and of the ``most`` nearest (of the sources ``among``). Asked once."""
        if self._line is None:
            return {}
        asked = {"most": most, "keys": list(keys), "among": None if among is None else list(among)}
        with self._line as line:
            try:
                line.sendall(_line(asked))
                found = json.loads(_answer(line, time.monotonic() + _seconds()))
                return {int(key): float(like) for key, like in found["likeness"]}
            except (OSError, ValueError, KeyError, TypeError):
                return {}


def _seconds() -> float:
    return float(max(settings.EMBEDDING_WAIT_MS, 1)) / 1000


def _line(value: dict[str, object]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _answer(line: socket.socket, deadline: float) -> bytes:
    """All of it by the deadline."""
    answer = bytearray()
    while not answer.endswith(b"\n"):
        line.settimeout(max(deadline - time.monotonic(), 0.001))
        piece = line.recv(65536)
        if not piece or len(answer) > _MOST_BYTES:
            raise ConnectionError("No whole answer.")
        answer += piece
    return bytes(answer)
