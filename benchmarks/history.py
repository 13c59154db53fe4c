"""How fast ``stash import`` reads, cleans and sends what agents kept.

    python benchmarks/history.py [--megabytes 200] [--workers 1 2]

Writes session files in Claude Code's form from the workload's real text (tool outputs of a few kB, some of 200 kB),
imports them with the real command into a sink that only answers, and prints MB of raw file per second by the clock
and by processor time of each worker, the most memory any process held, and the ratio to a floor measured in the same
run: ``json.loads`` of every line, ``json.dumps`` and gzip of the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.rig.table import show, verdict  # noqa: E402
from benchmarks.workload import Session, corpus  # noqa: E402

_EVENTS = 400
_LARGE = 200_000


def records(index: int, folder: str) -> Iterator[dict[str, Any]]:
    """One session as Claude Code writes it: what the model said and each tool's result in a record of its own."""
    session, rng, above = Session(index, _EVENTS), random.Random(index), None
    common = {"userType": "external", "cwd": folder, "sessionId": session.native_id, "version": "2.1.214",
              "gitBranch": "main", "isSidechain": False}  # fmt: skip
    for event in session:
        record = common | {"parentUuid": above, "uuid": event["uid"], "timestamp": event["occurred_at"]}
        for made in _made(record, event, rng):
            yield made
            above = made["uuid"]


def _made(record: dict[str, Any], event: dict[str, Any], rng: random.Random) -> list[dict[str, Any]]:
    if event["kind"] == "prompt":
        return [record | {"type": "user", "message": {"role": "user", "content": event["text"]}}]
    usage = {
        "input_tokens": 6,
        "cache_creation_input_tokens": 18211,
        "cache_read_input_tokens": 0,
        "output_tokens": 212,
    }
    message = {"id": f"msg_{event['uid'][:24]}", "type": "message", "role": "assistant", "model": "m", "usage": usage}
    if event["kind"] == "reply":
        block = {"type": "text", "text": event["text"]}
        return [record | {"type": "assistant", "message": message | {"content": [block]}}]
    call = {"type": "tool_use", "id": event["call_id"], "name": event["name"], "input": event["input"]}
    output = event.get("output") or event.get("diff") or ""
    if rng.random() < 0.005:
        output = (output + "\n") * (_LARGE // max(len(output), 1))
    result = {"tool_use_id": event["call_id"], "type": "tool_result", "content": output, "is_error": not event["ok"]}
    answer = {"uuid": event["uid"][:-4] + "ffff", "parentUuid": record["uuid"], "type": "user"}
    return [
        record | {"type": "assistant", "message": message | {"content": [call]}},
        record | answer | {"message": {"role": "user", "content": [result]}, "toolUseResult": {"stdout": output}},
    ]


def write(home: Path, megabytes: float) -> int:
    """Session files in ``home``, and a repository they ran in; returns bytes."""
    repository = home / "src" / "shop"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    folder = home / ".claude" / "projects" / "-src-shop"
    folder.mkdir(parents=True)
    corpus()
    size = index = 0
    while size < megabytes * 1e6:
        text = "".join(json.dumps(record) + "\n" for record in records(index, str(repository)))
        (folder / f"{Session(index, 1).native_id}.jsonl").write_text(text)
        size, index = size + len(text.encode()), index + 1
    return size


class Sink(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        data = b'{"accepted": 0, "url": "http://sink.example.test/"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def import_all(home: Path, url: str, workers: int) -> tuple[float, float, float]:
    """(seconds, processor seconds, most MB held by one process)."""
    settings = home / f"settings-{workers}"
    settings.mkdir()
    environ = {**os.environ, "HOME": str(home), "STASH_HOME": str(settings), "STASH_URL": url, "STASH_KEY": "k"}
    environ["PYTHONPATH"] = str(ROOT / "client" / "src")
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "stash_client", "import", "--yes", "--json", "--harness", "claude-code"]
    done = subprocess.run([*command, "--workers", str(workers)], env=environ, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - started
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, after.ru_maxrss / 1024


def floor(folder: Path) -> float:
    started = time.process_time()
    for file in sorted(folder.glob("**/*.jsonl")):
        with file.open("rb") as lines:
            values = [json.loads(line) for line in lines]
        for at in range(0, len(values), 200):
            gzip.compress(json.dumps(values[at : at + 200]).encode(), 5)
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ThreadingHTTPServer(("127.0.0.1", 0), Sink) as sink:
        threading.Thread(target=sink.serve_forever, daemon=True).start()
        home = Path(folder)
        size = write(home, chosen.megabytes) / 1e6
        least, rows, first = floor(home / ".claude"), [], 0.0
        for workers in chosen.workers:
            seconds, used, memory = import_all(home, f"http://127.0.0.1:{sink.server_port}", workers)
            first = first or seconds
            cells = [f"{size / seconds:.1f}", verdict(size / used, 8, at_least=True), f"{used / least:.2f}"]
            gain = "" if workers == chosen.workers[0] else verdict(first / seconds, 1.7, at_least=True)
            rows.append([f"{workers} process(es)", *cells, verdict(memory, 200), gain])
        sink.shutdown()
    head = ["", "MB/s by the clock", "MB per processor second", "times the floor", "most MB held", "faster than one"]
    show(f"{size:.0f} MB of session files; floor {size / least:.1f} MB/s", head, rows)


if __name__ == "__main__":
    main()
