#!/usr/bin/env python3
"""What one hook of an agent costs, from its start to its end, beside what starting a shell or an interpreter costs.

All commands take turns on the same payload, so that other work on the machine meets each of them; ratios say more than
milliseconds. ``--peer FOLDER`` adds the published client of a comparable tool, installed by
``python -m venv FOLDER && FOLDER/bin/pip install stashai``; its hooks run with a home of their own and a server that
is away, so that they queue what they are given.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "client" / "src"), str(Path(__file__).resolve().parent)]

from rig.table import show, verdict  # noqa: E402

from stash_client import hookscript  # noqa: E402
from tests.client.hooking import Machine, serving  # noqa: E402

TARGET_MS = 10


@dataclass
class Timed:
    """One command and its times in ms."""

    name: str
    command: list[str]
    cwd: Path
    payload: bytes
    environ: dict[str, str]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self) -> None:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            self.command, cwd=self.cwd, input=self.payload, env=self.environ, stdout=subprocess.PIPE, check=True
        )
        self.wall.append((time.perf_counter() - start) * 1000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)

    def at(self, share: float) -> float:
        return sorted(self.wall)[int((len(self.wall) - 1) * share)]


def payload(event: str, cwd: Path) -> bytes:
    """Of the size a tool's payload usually has."""
    told = {"session_id": "s-1", "hook_event_name": event, "cwd": str(cwd), "source": "startup"}
    call = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": {"stdout": "." * 1500}}
    return json.dumps({**told, **(call if event == "PostToolUse" else {})}).encode()


@contextmanager
def measured(machine: Machine, url: str, peer: Path | None) -> Iterator[list[Timed]]:
    shop = machine.repository()
    machine.sign_in(url)
    machine.connect(shop / ".git")
    script, environ = str(hookscript.path()), machine.environment()

    def timed(name: str, command: list[str], cwd: Path = shop, event: str = "PostToolUse") -> Timed:
        return Timed(name, command, cwd, payload(event, shop), environ)

    commands = [
        timed("sh -c :", ["sh", "-c", ":"]),
        timed("python -S -E -c pass", [sys.executable, "-S", "-E", "-c", "pass"]),
        timed("python -c pass", [sys.executable, "-c", "pass"]),
        timed("tool event", [script, "claude-code", "PostToolUse"]),
        timed("tool event, by bash", ["bash", "--posix", script, "claude-code", "PostToolUse"]),
        timed("tool event, not connected", [script, "claude-code", "PostToolUse"], machine.folder),
        timed("session start, server up", [script, "claude-code", "SessionStart"], event="SessionStart"),
    ]
    if peer is not None:
        commands += _of_peer(peer / "bin" / "stash", machine.folder / "peer", shop)
    with machine.sender_that_lives():
        yield commands


def _of_peer(stash: Path, home: Path, shop: Path) -> Iterator[Timed]:
    (home / ".stash").mkdir(parents=True)
    settings = {"base_url": "http://127.0.0.1:9", "api_key": "none", "username": "dana"}
    (home / ".stash" / "config.json").write_text(json.dumps(settings))
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "CLAUDE_PLUGIN_DATA": str(home / "data")}
    for name, hook, event in (
        ("peer: tool event", "on_tool_use", "PostToolUse"),
        ("peer: session start", "on_session_start", "SessionStart"),
    ):
        yield Timed(name, [str(stash), "hook", "run", "claude", hook], shop, payload(event, shop), environ)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=100)
    options.add_argument("--peer", type=Path, help="a virtual environment with stashai in it")
    chosen = options.parse_args()
    peer = chosen.peer if chosen.peer and (chosen.peer / "bin" / "stash").exists() else None
    with tempfile.TemporaryDirectory(prefix="stash-bench-", ignore_cleanup_errors=True) as folder, serving() as server:
        os.environ["STASH_HOME"] = str(Path(folder) / "home")
        for name in ("STASH_URL", "STASH_KEY", "STASH_MEMORY"):
            os.environ.pop(name, None)
        server.answers = {
            "/api/v1/briefings": (200, {"id": "b", "text": "x" * 6000}),
            "/api/v1/events": (200, {"accepted": 1}),
        }
        with measured(Machine(Path(folder)), server.url, peer) as commands:
            _take_turns(commands, chosen.runs)
            _print(commands)
    if peer is None:
        print("\nleft out: the comparable tool's client (--peer names no virtual environment that has it)")


def _take_turns(commands: list[Timed], runs: int) -> None:
    """The slow ones less often; the first turn warms up."""
    for turn in range(runs + 1):
        for command in commands:
            slow = bool(command.wall) and command.wall[0] > 150
            if not slow or turn == 1 or turn % 10 == 0:
                command.run()
    for command in commands:
        del command.wall[0], command.cpu[0]


def _print(commands: list[Timed]) -> None:
    floor = commands[0].at(0.5)
    rows = [(c.name, len(c.wall), c.at(0.5), c.at(0.99), sum(c.cpu) / len(c.cpu), c.at(0.5) / floor) for c in commands]
    show("one hook, wall ms", ("command", "runs", "p50", "p99", "CPU ms", "÷ sh -c :"), rows)
    tool = next(c for c in commands if c.name == "tool event")
    print(f"\n  tool event p50 ms: {verdict(tool.at(0.5), TARGET_MS)}")
    for other in commands:
        if other.name.startswith("peer: tool"):
            print(f"  {other.name} takes {other.at(0.5) / tool.at(0.5):,.0f} times as long")


if __name__ == "__main__":
    main()
