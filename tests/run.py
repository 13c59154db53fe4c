"""Every test on every engine this machine has: SQLite always, then PostgreSQL, Redis and a browser where they exist.

Arguments go to pytest: `python tests/run.py tests/ops -x`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests import engines  # noqa: E402

_NOTHING_COLLECTED = 5
_PARALLEL = ["-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]
"""In the order of their names: files of few long tests must not come last, when one process is left to run them.
Three on two cores: a third of the time tests wait for processes of their own."""


class Run:
    def __init__(self, arguments: list[str]) -> None:
        self.arguments = arguments
        self.lines: list[str] = []
        self.failed = False

    def stage(self, name: str, select: str, *options: str, **environ: str) -> None:
        """One pytest run with its own data folder; ``select`` is a marker expression."""
        print(f"\n==== {name} " + "=" * (70 - len(name)), flush=True)
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="stash-test-") as data:
            code = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-m", select, *options, *self.arguments],
                cwd=ROOT,
                env={**os.environ, "STASH_DATA": data, **environ},
                check=False,
            ).returncode
        words = {0: "passed", _NOTHING_COLLECTED: "nothing to run"}.get(code, "FAILED")
        self.failed |= words == "FAILED"
        self.lines.append(f"{name}: {words} ({time.monotonic() - started:.0f} s)")

    def leave_out(self, name: str, why: str) -> None:
        self.lines.append(f"{name}: LEFT OUT, {why}")


def main(arguments: list[str]) -> int:
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    run = Run(arguments)
    with ExitStack() as servers:
        run.stage("SQLite", "not browser and not redis", *_PARALLEL)
        database = {}
        if engines.postgres_binaries():
            database = {"DATABASE_URL": servers.enter_context(engines.postgres())}
            run.stage("PostgreSQL", "not browser and not redis and not one_engine", *_PARALLEL, **database)
        else:
            run.leave_out("PostgreSQL", "no initdb on this machine (apt install postgresql)")
        if shutil.which("redis-server"):
            environ = {**database, "REDIS_URL": servers.enter_context(engines.redis())}
            run.stage("Redis", "redis and not browser", **environ)
        else:
            run.leave_out("Redis", "no redis-server on this machine (apt install redis-server)")
        if engines.chromium():
            run.stage("Browser", "browser and not redis")
        else:
            run.leave_out("Browser", "no Chromium on this machine (apt install chromium)")
    print("\n==== What ran " + "=" * 57, *run.lines, sep="\n", flush=True)
    return int(run.failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
