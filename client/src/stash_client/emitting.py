"""Events that a program tells by itself go the way of an agent's hooks: inbox, policy, boundary, outbox."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Optional

from stash_client import accounts, consent, inbox, waking
from stash_client.checkout import checkout_of
from stash_client.events import JSON
from stash_client.harnesses.emitted import MARK
from stash_client.ids import canonical_harness

NOT_SIGNED_IN = "This machine is not signed in to a Stash server"
NOT_CONNECTED = "This folder is not connected to Stash, so nothing of it is captured"
_BETWEEN_WAKES = 1.0


class Emitter:
    """Writes records for one program. ``kept``: how many so far."""

    def __init__(self) -> None:
        self.kept = 0
        self._answers: dict[str, str] = {}
        self._last_n = 0
        self._woken = float("-inf")
        self._waiting = False

    def obstacle(self, folder: str) -> str:
        """Why nothing may be captured in ``folder``, "" when it may. Asked once for each folder."""
        if folder not in self._answers:
            account = accounts.load().main
            if account is None:
                self._answers[folder] = NOT_SIGNED_IN
            else:
                allowed = consent.load().for_checkout(checkout_of(folder, account.machine))
                self._answers[folder] = "" if allowed else NOT_CONNECTED
        return self._answers[folder]

    def put(self, harness: str, fields: Mapping[str, JSON], folder: str) -> None:
        """Keep one event; the caller has asked for ``obstacle``. Raises OSError when it cannot be written."""
        self._last_n = max(self._last_n + 1, time.time_ns())
        told = {MARK: 1, "n": self._last_n, "cwd": folder, **fields}
        # Without the event in the header records of one clock tick are in the order in which they were written.
        headers = {"harness": canonical_harness(harness), "cwd": folder}
        inbox.put(headers, json.dumps(told, default=str).encode())
        self.kept += 1
        self._waiting = True
        self.wake()

    def wake(self, *, now: bool = False) -> None:
        """Let the sender look, at most once a second; ``now``: this was the last."""
        moment = time.monotonic()
        if self._waiting and (now or moment - self._woken >= _BETWEEN_WAKES):
            self._woken, self._waiting = moment, False
            waking.wake()


def folder_of(told: Optional[str]) -> str:
    """Absolute; the top of everything, which nobody connects, where this one was removed under our feet."""
    try:
        return os.path.abspath(told or os.getcwd())
    except OSError:
        return os.path.abspath(os.sep)
