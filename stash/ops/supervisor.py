"""Keeps a few processes running: starts them, restarts what dies with backoff, stops all of them together.

Children get process groups of their own, so that a Ctrl-C reaches the supervisor alone and it decides the order.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
STEADY_AFTER = 20.0
"""Seconds after which a child counts as having started well."""
NEVER = float("inf")
GRACE = 12.0
"""Seconds a child has between SIGTERM and SIGKILL."""
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_PDEATHSIG = 1

Report = Callable[[str], object]


@dataclass
class Child:
    """One command that should always run, or ``once``. ``due``: monotonic time of the next start."""

    name: str
    command: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)
    pass_fds: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    failures: int = 0
    started: float = 0.0
    due: float = 0.0
    once: bool = False

    def start(self, now: float) -> None:
        self.started = now
        self.process = subprocess.Popen(
            self.command,
            env={**os.environ, **self.environ},
            pass_fds=self.pass_fds,
            process_group=0,
            stdin=subprocess.DEVNULL,
            preexec_fn=_die_with_parent(),
        )

    def note_death(self, now: float) -> float:
        """Plan the next start; answers the seconds until then."""
        self.failures = 0 if now - self.started > STEADY_AFTER else self.failures + 1
        delay: float = min(LONGEST_DELAY, FIRST_DELAY * 2 ** max(0, self.failures - 1))
        self.process, self.due = None, now + delay
        return delay


def _die_with_parent() -> Callable[[], None] | None:
    """Ask the kernel (Linux only) to end the child when this process is gone, even by kill -9."""
    if not sys.platform.startswith("linux"):
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)

    return ask


class Supervisor:
    def __init__(self, children: Sequence[Child], report: Report) -> None:
        self.children = children
        self.report = report
        self.stops = 0

    def run(self) -> None:
        """Returns after a stop signal, when no child is left. A second signal ends them at once."""
        with self._woken_by_signals() as wakes:
            while not self.stops:
                self._start_due()
                _sleep(wakes, self._seconds_to_next_start())
                self._bury_dead()
            self._stop_all(wakes)

    def _start_due(self) -> None:
        now = time.monotonic()
        for child in self.children:
            if child.process is None and child.due <= now:
                child.start(now)

    def _seconds_to_next_start(self) -> float | None:
        waiting = [child.due for child in self.children if child.process is None and child.due != NEVER]
        return max(0.0, min(waiting) - time.monotonic()) if waiting else None

    def _bury_dead(self) -> None:
        for child in self.children:
            if child.process is None or child.process.poll() is None:
                continue
            _signal_group(child.process, signal.SIGKILL)  # what it had started itself
            code = child.process.returncode
            if child.once:
                child.process, child.due = None, NEVER
            elif not self.stops:
                delay = child.note_death(time.monotonic())
                self.report(f"{child.name} ended ({_how(code)}); starting it again in {delay:g} s")

    def _stop_all(self, wakes: int) -> None:
        for process in self._running():
            process.terminate()
        give_up = time.monotonic() + GRACE
        while self._running() and self.stops < 2 and (left := give_up - time.monotonic()) > 0:
            _sleep(wakes, left)
        for child in self.children:
            if child.process is not None:
                _signal_group(child.process, signal.SIGKILL)
                child.process.wait()

    def _running(self) -> list[subprocess.Popen[bytes]]:
        return [child.process for child in self.children if child.process and child.process.poll() is None]

    def _note_stop(self, *_: object) -> None:
        self.stops += 1

    @contextmanager
    def _woken_by_signals(self) -> Iterator[int]:
        """The read end of a pipe that becomes readable with every signal: no race between a check and a sleep."""
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        before = {number: signal.signal(number, self._note_stop) for number in _STOP_SIGNALS}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        previous = signal.set_wakeup_fd(writer)
        try:
            yield reader
        finally:
            signal.set_wakeup_fd(previous)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(reader)
            os.close(writer)


def _sleep(wakes: int, seconds: float | None) -> None:
    select.select([wakes], [], [], seconds)
    with suppress(BlockingIOError):
        os.read(wakes, 4096)


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _how(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
