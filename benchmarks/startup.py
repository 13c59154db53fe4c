"""How long `make run` takes the second time, against a bare `django.setup()` of the same settings.

The promise: up (answers /healthz) within 2.5 times the floor plus one second. Medians of several runs, taken in turn.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.engines import free_port  # noqa: E402


def floor(environ: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import django; django.setup()"], cwd=ROOT, env=environ, check=True)
    return time.perf_counter() - started


def serve(environ: dict[str, str], command: list[str]) -> float:
    """Seconds until /healthz answers."""
    port = free_port()
    started = time.perf_counter()
    with subprocess.Popen(
        [part.format(port=port) for part in command],
        cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as server:  # fmt: skip
        try:
            while not _answers(port):
                time.sleep(0.01)
            return time.perf_counter() - started
        finally:
            os.killpg(server.pid, signal.SIGINT)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument(
        "--make", action="store_true", help="Go through `make run` (its .venv) instead of this Python."
    )
    chosen = options.parse_args()
    command = (
        ["make", "-s", "run", "PORT={port}"]
        if chosen.make
        else [sys.executable, "manage.py", "serve", "--prepare", "--port", "{port}"]
    )
    with tempfile.TemporaryDirectory(prefix="stash-bench-") as data:
        environ = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
        environ |= {
            "STASH_DATA": data,
            "DJANGO_SETTINGS_MODULE": "stash.settings",
            "PYTHONPATH": f"{ROOT}/client/src",
        }
        first = serve(environ, command)
        pairs = [(floor(environ), serve(environ, command)) for _ in range(chosen.runs)]
    bare, up = (statistics.median(column) for column in zip(*pairs, strict=True))
    allowed = 2.5 * bare + 1
    print(f"first run            {first:6.2f} s")
    print(f"bare django.setup()  {bare:6.2f} s   (floor, median of {chosen.runs})")
    print(f"second run until up  {up:6.2f} s   {up / bare:.2f} times the floor; allowed {allowed:.2f} s")
    print("ok" if up <= allowed else "TOO SLOW")


if __name__ == "__main__":
    main()
