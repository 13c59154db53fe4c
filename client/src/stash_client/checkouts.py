"""Facts about checkouts, asked of git once in a while: it takes 20 ms, everything else about a record less than one."""

from __future__ import annotations

import time

from stash_client.checkout import Checkout, checkout_of

_SECONDS = 5
_MOST = 256


class Checkouts:
    """``at_ns``: when something happened there. Facts found out later than that hold as long as the process keeps them
    (nobody can ask git about the past), others for five seconds.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[int, Checkout]] = {}

    def of(self, folder: str, machine: str, at_ns: int) -> Checkout:
        found_at, checkout = self._known.get((folder, machine), (0, None))
        age = time.time_ns() - found_at
        # The clock may have been set back since.
        if checkout is None or age < 0 or not (at_ns < found_at or age < _SECONDS * 1_000_000_000):
            return self._look(folder, machine)
        return checkout

    def fresh(self, checkout: Checkout, machine: str, at_ns: int) -> Checkout:
        """As it is now, or was after ``at_ns``: a commit of a moment ago counts."""
        found_at, known = self._known.get((checkout.root, machine), (0, None))
        return known if known is not None and at_ns < found_at else self._look(checkout.root, machine)

    def _look(self, folder: str, machine: str) -> Checkout:
        if len(self._known) >= _MOST:
            self._known.clear()
        now = time.time_ns()
        checkout = checkout_of(folder, machine)
        self._known[folder, machine] = now, checkout
        return checkout
