#!/usr/bin/env python3
"""All measurements in a short form, one after the other; arguments name the ones wanted (``run.py ingest fanout``).

Ends with status 1 when something could not be measured. A ratio that missed its target is printed, not a failure:
on a busy machine it says more about the machine.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHORT = {
    "ingest": ["ingest.py", "--requests", "15", "--rounds", "2"],
    "crash": ["crash.py", "--kills", "5"],
    "fanout": ["fanout.py", "--posts", "15"],
    "lossy": ["fanout.py", "--lossy", "--events", "1000"],
    "scale": ["scale.py", "--events", "100000", "--times", "15"],
}
SHORT_CLIENT = {
    "hooks": ["hooks.py", "--runs", "40"],
    "wiki": ["wiki.py", "--pages", "3000"],
    "storm": ["storm.py", "--rounds", "1", "--kill-rounds", "10"],
}
"""On this machine alone: no engine to choose."""


def main() -> int:
    wanted = sys.argv[1:] or [*SHORT, *SHORT_CLIENT, *sorted(_others())]
    engines = ["sqlite", *(["postgres"] if _has_postgres() else [])]
    failed = []
    for name in wanted:
        script, *arguments = {**SHORT, **SHORT_CLIENT}.get(name, [f"{name}.py"])
        if name in SHORT:
            arguments += [part for engine in engines for part in ("--engine", engine)]
            arguments += (
                [] if shutil.which("redis-server") or script not in ("ingest.py", "fanout.py") else ["--no-redis"]
            )
        start = time.monotonic()
        print(f"\n== {script} {' '.join(arguments)}", flush=True)
        if subprocess.run([sys.executable, HERE / script, *arguments]).returncode:
            failed.append(name)
        print(f"   ({time.monotonic() - start:.0f} s)", flush=True)
    if len(engines) == 1:
        print("\nleft out: PostgreSQL (its server programs are not installed)")
    if failed:
        print(f"\ncould not measure: {', '.join(failed)}")
    return 1 if failed else 0


def _others() -> set[str]:
    """Measurements that need no choice of engine."""
    short = [*SHORT.values(), *SHORT_CLIENT.values()]
    known = {"run", "workload", *(arguments[0].removesuffix(".py") for arguments in short)}
    return {path.stem for path in HERE.glob("*.py")} - known


def _has_postgres() -> bool:
    return bool(shutil.which("initdb") or list(Path("/usr/lib/postgresql").glob("*/bin/initdb")))


if __name__ == "__main__":
    sys.exit(main())
