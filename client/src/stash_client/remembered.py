"""What a small file says, read again only when the file changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Optional, TypeVar

T = TypeVar("T")
_State = Optional[tuple[int, int, int]]


class Remembered(Generic[T]):
    """``load`` is what reads the file or folder at ``path``; asking costs one look at its times."""

    def __init__(self, path: Path, load: Callable[[], T]) -> None:
        self._path, self._load = os.fspath(path), load
        self._state: _State = None
        self._value: Optional[tuple[T]] = None

    def now(self) -> T:
        state = _state_of(self._path)
        if self._value is None or state != self._state:
            self._value, self._state = (self._load(),), state
        return self._value[0]


def _state_of(path: str) -> _State:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
