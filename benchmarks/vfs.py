#!/usr/bin/env python3
"""rg over the tree of files at 100,000 events, beside ripgrep on the same transcripts exported to a disk.

A rare, a common and an absent pattern; wall-clock time of the whole command and of its first line. Ours runs in a
process of the application that is warm (as a server is); ripgrep is started anew each time, on files just dropped from
the cache where this account may do that, else on cached ones (said below).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from rig import ROOT
from rig.engines import CannotMeasure, engine
from rig.servers import ask, environment
from rig.table import show

DROP = Path("/proc/sys/vm/drop_caches")
FIRST_LINE = 0.3


def main() -> None:
    options = _options()
    if shutil.which("rg") is None:
        raise CannotMeasure("ripgrep is not installed")
    for name in options.engine:
        with engine(name) as database, tempfile.TemporaryDirectory(prefix="stash-bench-tree-") as folder:
            ask(database, "prepare", people=8)
            ask(database, "fill", events=options.events, long=2000)
            asked = {"folder": folder, "times": options.times}
            done = subprocess.run(
                [sys.executable, "-m", "rig.tree", json.dumps(asked)],
                env=environment(database, STASH_ROLE="all"), cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True,
            )  # fmt: skip
            _report(name, json.loads(done.stdout), folder, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgres"))
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    options.engine = options.engine or ["sqlite", "postgres"]
    return options


def _report(name: str, told: dict, folder: str, options: argparse.Namespace) -> None:
    rows = []
    cold = False
    for what, measured in told["patterns"].items():
        times, cold = _ripgrep(measured["pattern"], folder, options.times)
        ours, first = median(measured["whole"]), median(measured["first"])
        verdict = (
            f"{first:.3f} {'within' if first <= FIRST_LINE else 'over'} {FIRST_LINE}"
            if what == "common"
            else f"{first:.3f}"
        )
        rows.append(
            [what, measured["lines"], ours, median(times), f"{ours / median(times):.1f}", verdict, measured["said"]],
        )
    size = f"{told['events']:,} events in {told['sessions']:,} sessions, {told['megabytes']:.0f} MB of transcripts"
    show(
        f"vfs: {name}, {size}", ["pattern", "lines", "rg here, s", "ripgrep, s", "ratio", "first line, s", "said"], rows
    )
    print(f"ripgrep read {'cold' if cold else 'CACHED'} files")


def _ripgrep(pattern: str, folder: str, times: int) -> tuple[list[float], bool]:
    """(seconds, whether the files were really cold)."""
    taken = []
    cold = False
    for _ in range(times):
        cold = _dropped()
        began = time.perf_counter()
        subprocess.run(["rg", "-n", "--sort", "path", pattern, folder], stdout=subprocess.DEVNULL, check=False)
        taken.append(time.perf_counter() - began)
    return taken, cold


def _dropped() -> bool:
    try:
        subprocess.run(["sync"], check=True)
        DROP.write_text("1")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


if __name__ == "__main__":
    main()
