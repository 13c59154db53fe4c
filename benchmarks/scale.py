#!/usr/bin/env python3
"""Pages and lists at ten thousand and at a million events: as many queries, and hardly more time.

Both databases exist side by side and are asked in turns, in processes of the application (no server in between), so
that whatever else the machine does meets both alike. Medians; in-process time of the whole request.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from rig import ROOT
from rig.engines import engine
from rig.servers import ask, environment
from rig.table import show, verdict

LIMIT = 1.3


@dataclass
class Filled:
    """A filled database and the process that reads from it."""

    ids: dict[str, str]
    seconds: float
    reader: subprocess.Popen[str]

    def get(self, path: str) -> dict[str, Any]:
        assert self.reader.stdin is not None
        assert self.reader.stdout is not None
        self.reader.stdin.write(json.dumps(path.format(**self.ids)) + "\n")
        self.reader.stdin.flush()
        said: dict[str, Any] = json.loads(self.reader.stdout.readline())
        if said["status"] != 200:
            raise SystemExit(f"cannot measure: {path} answered {said['status']}")
        return said


PAGES = {
    "session list": "/t/bench/sessions/",
    "session list of one project": "/t/bench/sessions/?project=web",
    "home": "/t/bench/",
    "REST list": "/api/v1/sessions",
    "session page (200 events)": "/t/bench/sessions/{short}/",
    "REST events_after (200)": "/api/v1/sessions/{short}/events?after=100",
}
LONG = {
    "session page": ("/t/bench/sessions/{short}/", "/t/bench/sessions/{long}/"),
    "older events": ("/t/bench/sessions/{short}/events/?before=150", "/t/bench/sessions/{long}/events/?before=15000"),
    "REST events_after": (
        "/api/v1/sessions/{short}/events?after=100&limit=100",
        "/api/v1/sessions/{long}/events?after=15000&limit=100",
    ),
}


def main() -> None:
    options = _options()
    for name in options.engine:
        with _filled(name, options.small, 200) as small, _filled(name, options.events, options.long) as large:
            print(f"\n{name}: filled {options.small:,} events in {small.seconds:.0f} s, ", end="")
            print(f"{options.events:,} in {large.seconds:.0f} s")
            rows = [_compare(what, (small, path), (large, path), options.times) for what, path in PAGES.items()]
            _show(f"scale: {name}, {options.small:,} and {options.events:,} events", rows)
            rows = [_compare(what, (large, a), (large, b), options.times) for what, (a, b) in LONG.items()]
            _show(f"scale: {name}, a session of 200 and one of {options.long:,} events", rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgres"))
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--long", type=int, default=20_000, help="events of the long session")
    parser.add_argument("--times", type=int, default=30)
    options = parser.parse_args()
    options.engine = options.engine or ["sqlite", "postgres"]
    return options


@contextlib.contextmanager
def _filled(name: str, events: int, long: int) -> Iterator[Filled]:
    with engine(name) as database:
        ask(database, "prepare", people=8)
        start = time.monotonic()
        ids = ask(database, "fill", events=events, long=long)
        seconds = time.monotonic() - start
        reader = subprocess.Popen(
            [sys.executable, "-m", "rig.reading"],
            env=environment(database, STASH_ROLE="all"),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield Filled(ids, seconds, reader)
        finally:
            reader.kill()
            reader.wait()


def _compare(what: str, small: tuple[Filled, str], large: tuple[Filled, str], times: int) -> list[object]:
    """One row; the two are asked in turns."""
    said: list[list[dict[str, Any]]] = [[], []]
    for turn in range(-3, times):
        for answers, (filled, path) in zip(said, (small, large), strict=True):
            answer = filled.get(path)
            if turn >= 0:
                answers.append(answer)
    ms = [median(answer["ms"] for answer in answers) for answers in said]
    cpu = [median(answer["cpu"] for answer in answers) for answers in said]
    queries = [max(answer["queries"] for answer in answers) for answers in said]
    sizes = [median(answer["bytes"] for answer in answers) / 1000 for answers in said]
    return [
        what,
        *ms,
        verdict(ms[1] / ms[0], LIMIT),
        f"{cpu[1] / cpu[0]:.2f}",
        f"{queries[0]} {queries[1]}{'' if queries[0] == queries[1] else ' DIFFERENT'}",
        f"{sizes[0]:.0f} {sizes[1]:.0f}",
    ]


def _show(title: str, rows: list[list[object]]) -> None:
    show(title, ["what", "small ms", "large ms", "ratio", "CPU ratio", "queries", "kB"], rows)


if __name__ == "__main__":
    main()
