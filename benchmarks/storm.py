#!/usr/bin/env python3
"""Many hooks at once, and hooks and senders killed at random moments: is anything lost, is anything there twice?

Every hook carries a prompt with a number of its own. A hook that ended with status 0 must arrive; one that was killed
may. The server here takes batches as Stash does: an event whose delivery id it knows is not stored again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "client" / "src"), str(Path(__file__).resolve().parent)]

from rig.table import show  # noqa: E402

from stash_client import inbox, sender, waking  # noqa: E402
from tests.client.hooking import Machine, Server, serving  # noqa: E402

PATIENCE = 300


class Storm:
    """``done``: prompts whose hook ended well; ``killed``: those whose hook did not live."""

    def __init__(self, machine: Machine, server: Server, seed: int) -> None:
        self.machine, self.server, self.chance = machine, server, random.Random(seed)
        self.shop = machine.repository()
        machine.sign_in(server.url)
        machine.connect(self.shop / ".git")
        self.number, self.senders_killed = 0, 0
        self.done: set[str] = set()
        self.killed: set[str] = set()

    def start(self) -> tuple[str, subprocess.Popen[bytes]]:
        self.number += 1
        said = f"prompt {self.number}"
        told = {"hook_event_name": "UserPromptSubmit", "session_id": f"s-{self.number % 7}", "prompt": said}
        nowhere = subprocess.DEVNULL
        process = self.machine.start("claude-code", "UserPromptSubmit", cwd=self.shop, stdout=nowhere, stderr=nowhere)
        assert process.stdin
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps({**told, "cwd": str(self.shop)}).encode())
            process.stdin.close()
        return said, process

    def round(self, hooks: int) -> None:
        self._count([self.start() for _ in range(hooks)])

    def round_with_kills(self, hooks: int) -> None:
        """Every second hook within the milliseconds it lives and, in most rounds, the sender."""
        started = []
        for _ in range(hooks):
            said, process = self.start()
            started.append((said, process))
            if self.chance.random() < 0.5:
                time.sleep(self.chance.random() * 0.008)
                process.kill()
        if self.chance.random() < 0.8:
            time.sleep(self.chance.random() * 0.4)
            self._kill_sender()
        self._count(started)

    def _kill_sender(self) -> None:
        pid = waking.told_pid()
        if pid > 0:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            self.senders_killed += 1

    def _count(self, started: list[tuple[str, subprocess.Popen[bytes]]]) -> None:
        for said, process in started:
            (self.done if process.wait(PATIENCE) == 0 else self.killed).add(said)

    def settle(self) -> None:
        """A session starts and finds what is left; then all there is arrives."""
        waking.heal()
        sender.flush(seconds=PATIENCE)

    def stored(self) -> Counter[str]:
        """How often each prompt is stored: by delivery id, as a server stores it."""
        by_id = {e["uid"]: e["text"] for _, body in list(self.server.got) for e in body.get("events", ())}
        return Counter(by_id.values())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=20, help="of many hooks at once")
    options.add_argument("--hooks", type=int, default=400)
    options.add_argument("--kill-rounds", type=int, default=200, help="of 20 hooks, with kill -9 of hooks and sender")
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    rows = []
    for name, rounds, hooks, killing in (
        ("at once", chosen.rounds, chosen.hooks, False),
        ("kill -9", chosen.kill_rounds, 20, True),
    ):
        with (
            tempfile.TemporaryDirectory(prefix="stash-bench-", ignore_cleanup_errors=True) as folder,
            serving() as server,
        ):
            os.environ["STASH_HOME"] = str(Path(folder) / "home")
            for variable in ("STASH_URL", "STASH_KEY", "STASH_MEMORY"):
                os.environ.pop(variable, None)
            server.answers = {"/api/v1/events": (200, {"accepted": 1})}
            storm = Storm(Machine(Path(folder)), server, chosen.seed)
            rows.append(_row(name, storm, rounds, hooks, killing))
            storm.machine.stop_sender()
    head = ("", "rounds", "hooks", "ended well", "killed", "senders killed", "stored", "lost", "twice", "left", "s")
    show("hooks in parallel", head, rows)


def _row(name: str, storm: Storm, rounds: int, hooks: int, killing: bool) -> tuple[object, ...]:
    start = time.monotonic()
    for _ in range(rounds):
        (storm.round_with_kills if killing else storm.round)(hooks)
    storm.settle()
    stored = storm.stored()
    lost, twice = storm.done - stored.keys(), [said for said, times in stored.items() if times > 1]
    left = sum(1 for _ in inbox.records())
    seconds = round(time.monotonic() - start)
    killed = len(storm.killed)
    return (
        name, rounds, storm.number, len(storm.done), killed, storm.senders_killed, len(stored), len(lost), len(twice),
        left, seconds,
    )  # fmt: skip


if __name__ == "__main__":
    main()
