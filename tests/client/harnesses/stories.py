"""Where the captured payloads and session files lie, and how the tests read them."""

from __future__ import annotations

import json
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
