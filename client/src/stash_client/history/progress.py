"""A line that says how far an import is: rewritten in place on a terminal, now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time

from stash_client.cli.output import Output

_BAR, _ON_TERMINAL, _ELSEWHERE = 24, 0.1, 15.0


class Progress:
    """``total``: bytes to read, ``files``: how many."""

    def __init__(self, out: Output, total: int, files: int) -> None:
        self._out, self._total, self._files = out, max(total, 1), files
        self._terminal = sys.stderr.isatty() and not out.as_json
        self._started = self._shown = time.monotonic()
        self.read = self.done = 0

    def add(self, size: int) -> None:
        self.read += size
        self._show()

    def finished_file(self) -> None:
        self.done += 1
        self._show()

    def end(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _show(self) -> None:
        now = time.monotonic()
        if now - self._shown < (_ON_TERMINAL if self._terminal else _ELSEWHERE):
            return
        self._shown = now
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{self.line(now - self._started)[:width]}\x1b[K", end="", file=sys.stderr, flush=True)
        else:
            self._out.aside(self.line(now - self._started))

    def line(self, seconds: float) -> str:
        share = min(self.read / self._total, 1.0)
        full = round(share * _BAR)
        rate = self.read / seconds if seconds > 0 else 0.0
        left = f"{clock((self._total - self.read) / rate)} left" if rate and share < 1 else ""
        parts = (f"{share:4.0%}", f"{self.done} of {self._files} files", f"{size(rate)}/s", left)
        return f"[{'#' * full}{'.' * (_BAR - full)}] " + "  ".join(filter(None, parts))


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def clock(seconds: float) -> str:
    """``40 s``, ``3 min``, ``2 h 5 min``."""
    whole = int(max(seconds, 0))
    if whole < 60:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
