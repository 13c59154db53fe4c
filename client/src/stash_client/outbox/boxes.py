"""All that waits on this machine: for every server a queue, what is parked, what was refused."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from stash_client import home
from stash_client.outbox.frames import Frame, encode
from stash_client.outbox.overflow import Dropped, make_room
from stash_client.outbox.queue import SEGMENT_BYTES, Queue
from stash_client.outbox.refused import Refused

MOST_BYTES = 256 * 1024 * 1024


class Box:
    """For one server. ``parked``: what it does not take before its person connects the project there."""

    def __init__(self, server: str, folder: Path, segment_bytes: int) -> None:
        self.server, self.folder = server, folder
        self.queue = Queue(folder / "queue", segment_bytes=segment_bytes)
        self.parked = Queue(folder / "parked", segment_bytes=segment_bytes)
        self.refused = Refused(folder / "refused")

    @property
    def queues(self) -> tuple[Queue, Queue]:
        return self.queue, self.parked


class Outbox:
    """Only the sender writes it; anybody may open one to look."""

    def __init__(self) -> None:
        self.folder = home.folder() / "outbox"
        self.most_bytes = most_bytes()
        self._segment_bytes = max(4096, min(SEGMENT_BYTES, self.most_bytes // 16))
        self.boxes = {name: self._box(name) for name in map(unquote, self._names())}

    def _names(self) -> list[str]:
        with contextlib.suppress(OSError):
            return sorted(entry.name for entry in os.scandir(self.folder) if entry.is_dir())
        return []

    def _box(self, server: str) -> Box:
        name = quote(server, safe="")
        return Box(server, self.folder / (name if name.strip(".") else name.replace(".", "%2E")), self._segment_bytes)

    def box(self, server: str) -> Box:
        if server not in self.boxes:
            self.boxes[server] = self._box(server)
        return self.boxes[server]

    def append(self, frames: Sequence[Frame]) -> None:
        """On the disk when it returns. Raises OSError; then some may be kept, which appending again does not double.

        Makes room first where the outbox is full.
        """
        lines: dict[str, list[bytes]] = {}
        for frame in frames:
            lines.setdefault(frame.server, []).append(encode(frame))
        self.make_room(sum(len(line) for of_server in lines.values() for line in of_server))
        for server, of_server in lines.items():
            self.box(server).queue.append(of_server)

    def publish(self) -> None:
        for box in self.boxes.values():
            box.queue.publish()

    def make_room(self, wanted: int) -> None:
        """Drop what matters least until ``wanted`` bytes fit, and say so in the sessions it was taken from."""
        if self.size + wanted <= self.most_bytes:
            return
        dropped = Dropped()
        goal = max(0, self.most_bytes * 9 // 10 - wanted)
        make_room([q for box in self.boxes.values() for q in box.queues], lambda: self.size <= goal, dropped)
        dropped.add_to(self.folder / "dropped.json")
        for frame in dropped.notes():
            self.box(frame.server).queue.append([encode(frame)])

    def take_refused_back(self) -> None:
        """Into the queues once more, behind what waits. Raises OSError; then some may be in both, which is harmless."""
        for box in self.boxes.values():
            refused = list(box.refused)
            box.queue.append([encode(frame) for _, frame, _ in refused])
            box.queue.publish()
            for path, _, _ in refused:
                path.unlink()

    @property
    def size(self) -> int:
        return sum(queue.size for box in self.boxes.values() for queue in box.queues)

    def close(self) -> None:
        for box in self.boxes.values():
            for queue in box.queues:
                queue.close()


def most_bytes() -> int:
    """``outbox_mib`` of ``settings.json``, or of ``$STASH_OUTBOX_MIB``; 256 MiB."""
    told: object = os.environ.get("STASH_OUTBOX_MIB")
    if told is None:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            told = json.loads((home.folder() / "settings.json").read_text(encoding="utf-8")).get("outbox_mib")
    try:
        return int(float(str(told)) * 1024 * 1024) if told is not None else MOST_BYTES
    except (ValueError, OverflowError):
        return MOST_BYTES
