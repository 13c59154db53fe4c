#!/usr/bin/env python3
"""Emptying a full inbox: how much of it is parsing and making clean, which nobody can save, and how much is ours.

Prints processor time of 10,000 records of about 1 kB: of ``parse_hook`` and ``scrub`` alone over the same payloads, and
of the whole way from the inbox to frames on the disk, with the wall-clock time of that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "client" / "src"), str(Path(__file__).resolve().parent)]

from rig.table import show  # noqa: E402

from stash_client import accounts, consent, inbox  # noqa: E402
from stash_client.accounts import Account, Accounts  # noqa: E402
from stash_client.consent import Connection, Consents  # noqa: E402
from stash_client.harnesses import parse_hook  # noqa: E402
from stash_client.outbox import Outbox  # noqa: E402
from stash_client.privacy import scrub  # noqa: E402
from stash_client.sender.collecting import Collector  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STASH_HOME"] = folder
        payloads = fill(Path(folder), chosen.records)
        alone, _ = measured(lambda: parse_and_scrub(payloads))
        outbox = Outbox()
        whole, wall = measured(lambda: Collector(outbox).collect())
        frames = sum(1 for _ in outbox.box("lab").queue.look())
    assert frames == len(payloads), f"{frames} of {len(payloads)} arrived"
    per = 1e6 / len(payloads)
    rows = [
        ["parse and scrub alone", f"{alone * per:.0f}", ""],
        ["inbox to outbox", f"{whole * per:.0f}", f"{wall * per:.0f}"],
        ["ratio", f"{whole / alone:.2f}", ""],
    ]
    show("µs of a record", ["", "processor", "wall clock"], rows)


def fill(folder: Path, records: int) -> list[bytes]:
    repository = folder / "shop"
    subprocess.run(["git", "init", "-q", repository], check=True)
    accounts.save(Accounts((Account("lab", "http://127.0.0.1:9", "key", "m1", "laptop", "dana", "harbour"),)))
    consent.save(Consents((Connection("lab", os.path.realpath(repository / ".git"), visibility="project"),)))
    payloads = [payload(number, str(repository)) for number in range(records)]
    for one in payloads:
        inbox.put({"harness": "claude-code", "event": "PostToolUse", "cwd": str(repository)}, one)
    return payloads


def payload(number: int, cwd: str) -> bytes:
    lines = [f"tests/test_totals.py:{number + i}: the total of order {i} differs from its lines" for i in range(9)]
    told = {
        "hook_event_name": "PostToolUse",
        "session_id": f"session-{number % 7}",
        "cwd": cwd,
        "tool_name": "Bash",
        "tool_use_id": f"call-{number}",
        "tool_input": {"command": f"pytest -q tests/test_totals.py -k {number}"},
        "tool_response": {"stdout": "\n".join(lines), "stderr": "", "interrupted": False},
    }
    return json.dumps(told).encode()


def parse_and_scrub(payloads: list[bytes]) -> None:
    for one in payloads:
        for batch in parse_hook("claude-code", one, event="PostToolUse"):
            for event in batch.events:
                scrub(event)


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """(processor, wall clock) in seconds."""
    began, cpu = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - cpu, time.perf_counter() - began


if __name__ == "__main__":
    main()
