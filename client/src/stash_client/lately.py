"""What of a session waits on this machine, before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from stash_client import sender
from stash_client.outbox import Outbox
from stash_client.sender.collecting import Collector
from stash_client.sender.lock import alone


@dataclass(frozen=True)
class Waiting:
    kind: str
    at: datetime


def collect() -> None:
    """Empty the inbox as a sender does, and send nothing. Where one is at work, it has done so. Raises OSError."""
    with alone() as held:
        if held:
            outbox = Outbox()
            Collector(outbox).collect()
            outbox.close()


def waiting(harness: str, native_id: str) -> list[Waiting]:
    """A session's events that wait, its subagents' too, of what was ``collected``."""
    found = []
    for box in Outbox().boxes.values():
        for queue in box.queues:
            for frame in queue.look():
                if _is_of(frame.key, harness, native_id):
                    found.append(Waiting(frame.kind, _moment(frame.at)))
    return found


def _is_of(key: tuple[str, str], harness: str, native_id: str) -> bool:
    return bool(native_id) and key[0] == harness and f"{key[1]}/".startswith(f"{native_id}/")


def _moment(text: str) -> datetime:
    """What has no time is of now: better one too much than one too few."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return datetime.now(timezone.utc)
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def here(harness: str, native_id: str, since: datetime | None) -> bool:
    """Whether it is gone from this machine already; else the sender at work does it. Raises OSError."""
    return sender.forget(harness, native_id, since=since)
