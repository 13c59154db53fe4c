"""The life of the one sender: empty the inbox at once, keep a courier for each server, go when there is no work."""

from __future__ import annotations

import os
import random
import threading
import time
import traceback
from pathlib import Path

from stash_client import accounts, consent, home, inbox, waking
from stash_client.outbox import Box, Outbox
from stash_client.sender import forgetting, retrying
from stash_client.sender.collecting import Collector
from stash_client.sender.courier import Came, Courier
from stash_client.sender.lock import alone

IDLE_SECONDS = 20.0
PATIENCE_SECONDS = 600.0
"""How long a sender goes on trying while nothing new comes; the next hook starts another."""
_OTHERS_LAST_SECONDS = 2.0
_FIRST_BREAK, _LONGEST_BREAK = 1.0, 60.0
_TICK, _LAZY_TICK, _LAZY_AFTER = 0.05, 0.25, 3.0
_LOOK_ANYWAY_SECONDS = 1.0
_TIDY_SECONDS = 60.0
_STOP_SECONDS = 35.0


def main() -> None:
    """Never says a word: nobody listens. Faults are kept for ``stash`` to show."""
    try:
        run()
    except Exception:
        inbox.note_fault(traceback.format_exc())


def run(*, idle: float = IDLE_SECONDS, patience: float = PATIENCE_SECONDS) -> None:
    """Until there has been nothing to do for ``idle`` seconds. At once where another sender runs."""
    while True:
        with alone(patience=_OTHERS_LAST_SECONDS) as held:
            if not held:
                return
            life = _Life(idle, patience)
            life.live()
            if life.is_stuck:
                return
        # A hook that came while we went saw us alive and started nobody.
        if not any(inbox.records()) and not forgetting.asked():
            return


class _Runner(threading.Thread):
    """One server's courier, with breaks that grow while it is away. Another server's never waits for it."""

    def __init__(self, box: Box) -> None:
        super().__init__(name=f"courier {box.server}", daemon=True)
        self.box = box
        self.courier = Courier(box)
        self.came = Came.THROUGH
        self.is_busy = False
        self._break = _FIRST_BREAK
        self._forced = False
        self._wake = threading.Event()
        self._leaving = threading.Event()
        self._hurry = threading.Event()

    def run(self) -> None:
        while not self._leaving.is_set():
            self._wake.wait()
            self._wake.clear()
            if self._leaving.is_set():
                return
            self._deliver()

    def _deliver(self) -> None:
        try:
            forced, self._forced = self._forced, False
            self.came = self.courier.deliver(forced=forced, stop=self._leaving.is_set)
        except Exception:
            inbox.note_fault(traceback.format_exc())
            self.came = Came.LATER
        self.is_busy = self._wake.is_set()
        if self.came is not Came.LATER:
            self._break = _FIRST_BREAK
            return
        asked = self.courier.state.now.not_before - time.time()
        pause = max(self._break * random.uniform(0.5, 1.5), min(asked, 3600))  # noqa: S311 - no secret
        self._break = min(self._break * 2, _LONGEST_BREAK)
        self._hurry.wait(pause)
        self._hurry.clear()
        self._wake.set()

    def wake(self, *, forced: bool = False) -> None:
        """There is something new; a break is not cut short by it, but by ``forced``."""
        self._forced = self._forced or forced
        self.is_busy = True
        self._wake.set()
        if forced:
            self._break = _FIRST_BREAK
            self._hurry.set()

    def leave(self) -> None:
        self._leaving.set()
        self._hurry.set()
        self._wake.set()


class _Life:
    def __init__(self, idle: float, patience: float) -> None:
        self._idle, self._patience = idle, patience
        self._outbox = Outbox()
        self._collector = Collector(self._outbox)
        self._runners: dict[str, _Runner] = {}
        self._inbox_seen = (0, 0.0)
        self._agreed = _agreed()
        self.is_stuck = False
        self._tidied = 0.0
        self._active_at = time.monotonic()

    def live(self) -> None:
        try:
            self._wake_all()
            while not self._is_over():
                self._look()
                quiet = time.monotonic() - self._active_at
                time.sleep(_TICK if quiet < _LAZY_AFTER else _LAZY_TICK)
        finally:
            self._leave()

    def _look(self) -> None:
        """One round. A disk that takes no more is tried again with the next."""
        try:
            if requests := forgetting.asked():
                self._collector.collect()
                forgetting.obey(self._outbox, requests)
            self._tidy()
            if self._inbox_may_hold_something() and self._collector.collect(tell=self._wake_all):
                self._active_at = time.monotonic()
            if retrying.obey(self._outbox) or self._agreed_to_something():
                self._wake_all(forced=True)
            self.is_stuck = False
        except OSError:
            inbox.note_fault(traceback.format_exc())
            self._inbox_seen = (0, time.monotonic())
            self.is_stuck = True

    def _inbox_may_hold_something(self) -> bool:
        """By the folder's own time, and now and then whatever it says: some file systems count in seconds."""
        try:
            changed = os.stat(home.folder() / "inbox").st_mtime_ns
        except OSError:
            return False
        last, looked = self._inbox_seen
        if changed == last and time.monotonic() - looked < _LOOK_ANYWAY_SECONDS:
            return False
        self._inbox_seen = (changed, time.monotonic())
        return True

    def _tidy(self) -> None:
        if time.monotonic() - self._tidied > _TIDY_SECONDS or not self._tidied:
            self._tidied = time.monotonic()
            inbox.tidy()
            waking.beat()

    def _agreed_to_something(self) -> bool:
        """A person signed in or connected something."""
        before, self._agreed = self._agreed, _agreed()
        return before != self._agreed

    def _wake_all(self, *, forced: bool = False) -> None:
        for box in list(self._outbox.boxes.values()):
            runner = self._runners.get(box.server)
            if runner is None:
                if not Courier(box).has_work:
                    continue
                runner = self._runners[box.server] = _Runner(box)
                runner.start()
            runner.wake(forced=forced)

    def _is_over(self) -> bool:
        quiet = time.monotonic() - self._active_at
        if quiet < self._idle:
            return False
        return quiet > self._patience or not any(
            runner.is_busy or runner.came is Came.LATER for runner in self._runners.values()
        )

    def _leave(self) -> None:
        for runner in self._runners.values():
            runner.leave()
        until = time.monotonic() + _STOP_SECONDS
        for runner in self._runners.values():
            runner.join(max(0.0, until - time.monotonic()))
        self._outbox.close()


def _agreed() -> list[int]:
    return [_changed(accounts.path()), _changed(consent.path())]


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
