"""Where the captured payloads and session files lie, and how the tests read them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from stash_client.events import Batch, Event
from stash_client.harnesses import parse_hook, read_transcript

TESTS = Path(__file__).parents[2]
SAMPLES = TESTS / "harness_samples"
CASES = TESTS / "cases"


def hook(harness: str, name: str, **options) -> tuple[Batch, ...]:
    return parse_hook(harness, (SAMPLES / harness / f"{name}.json").read_bytes(), **options)


def only(batches: Iterable[Batch]) -> Event:
    (batch,) = batches
    (event,) = batch.events
    return event


def case_lines(name: str) -> list:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def transcript(harness: str, path: Path, **options):
    """(the transcript after it was read, its batches)"""
    with path.open("rb") as lines:
        read = read_transcript(harness, lines, **options)
        return read, list(read)


def events(batches: Iterable[Batch], kind: type | None = None) -> list:
    return [event for batch in batches for event in batch.events if kind is None or isinstance(event, kind)]


def squeezed(text: str | None) -> str:
    return " ".join((text or "").split())


def store_after(case: str, data_home: Path) -> Path:
    """OpenCode's store as it is after the bus events of a case."""
    path = data_home / "opencode/opencode.db"
    path.parent.mkdir()
    states: dict[str, dict] = {"session": {}, "message": {}, "part": {}}
    for body in case_lines(case):
        properties = body["properties"]
        what = "part" if "part" in properties else "message" if body["type"] == "message.updated" else "session"
        state = properties.get("part") or properties.get("info")
        if state:
            states[what][state["id"]] = state
    rows = {
        "session": [(s["id"], None, s["directory"], s["title"], "1", 1) for s in states["session"].values()],
        "message": [(m["id"], m["sessionID"], m["time"]["created"], json.dumps(m)) for m in states["message"].values()],
        "part": [(p["id"], p["messageID"], p["sessionID"], 1, json.dumps(p)) for p in states["part"].values()],
    }
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE session (id, parent_id, directory, title, version, time_created)")
        database.execute("CREATE TABLE message (id, session_id, time_created, data)")
        database.execute("CREATE TABLE part (id, message_id, session_id, time_created, data)")
        for table, values in rows.items():
            marks = ", ".join("?" * len(values[0]))
            database.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
    return path
