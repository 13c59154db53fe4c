"""One round of sending inside a command or hook."""

from __future__ import annotations

import threading
import time
import traceback
from typing import Optional

from stash_client import inbox
from stash_client.outbox import Frame, Outbox
from stash_client.sender import retrying
from stash_client.sender.collecting import Collector
from stash_client.sender.courier import Courier


def send_once(place: Optional[str], until: float) -> int:
    """Collect, then try every server once, all at a time; of ``place`` alone where one is named.

    For who holds the lock. Returns how many events the servers took. A full disk stops collecting, not sending.
    """
    outbox = Outbox()
    try:
        Collector(outbox).collect(until=until)
        retrying.obey(outbox)
    except OSError:
        inbox.note_fault(traceback.format_exc())
    try:
        couriers = [courier for courier in map(Courier, outbox.boxes.values()) if courier.has_work]
        threads = [threading.Thread(target=_deliver, args=(one, place, until), daemon=True) for one in couriers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(courier.delivered for courier in couriers)
    finally:
        outbox.close()


def _deliver(courier: Courier, place: Optional[str], until: float) -> None:
    def is_here(frame: Frame) -> bool:
        if time.monotonic() > until:
            raise TimeoutError("no time to look through all that waits")
        return frame.place == place

    try:
        courier.deliver(only=None if place is None else is_here, until=until, forced=place is None)
    except Exception:
        inbox.note_fault(traceback.format_exc())
