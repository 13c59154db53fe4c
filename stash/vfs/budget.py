"""What one command line may cost. Past it, sources run dry, so that what was found so far still comes out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

SECONDS, BYTES, ROWS, OUTPUT = 8.0, 256 * 1024 * 1024, 300_000, 1024 * 1024
_PATIENCE = 1.5
"""Between running dry and being stopped: time for sort and its kind to give out what they have."""


class Stopped(Exception):
    """The command line did not end although its sources ran dry."""


@dataclass
class Budget:
    """``spent`` says what ran out first, in words; empty while all is well."""

    seconds: float = SECONDS
    bytes: int = BYTES
    rows: int = ROWS
    output: int = OUTPUT
    spent: str = ""
    _began: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        """Whether sources have to end now. Raises Stopped when they should have ended long ago."""
        elapsed = time.monotonic() - self._began
        if elapsed > self.seconds * _PATIENCE:
            raise Stopped
        if elapsed > self.seconds:
            self._run_out(f"{self.seconds:g} seconds")
        return bool(self.spent)

    def read(self, *, rows: int = 0, size: int = 0) -> None:
        self.rows -= rows
        self.bytes -= size
        if self.rows < 0:
            self._run_out("rows read")
        if self.bytes < 0:
            self._run_out("bytes read")

    def _run_out(self, what: str) -> None:
        self.spent = self.spent or what
