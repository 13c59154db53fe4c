"""Runs command lines over the tree inside the application, and writes its transcripts to a disk."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import django

_PATTERNS = {"rare": "QuuxNeedle", "absent": "NoSuchThingAnywhere", "common": "error"}


def measure(folder: str, times: int) -> dict[str, Any]:
    from sessions_app.models import Event, Session

    actor = _somebody()
    for event in Event.objects.filter(kind="reply").order_by("pk")[:: max(Event.objects.count() // 500, 1)][:3]:
        Event.objects.filter(pk=event.pk).update(text=f"{event.text} QuuxNeedle")
    return {
        "events": Event.objects.count(),
        "sessions": Session.objects.count(),
        "megabytes": _export(actor, Path(folder)) / 1e6,
        "patterns": {what: _timed(actor, pattern, times) for what, pattern in _PATTERNS.items()},
    }


def _somebody() -> Any:
    from accounts.authentication import actor_of_key
    from accounts.models import ApiKey

    return actor_of_key(ApiKey.objects.order_by("pk").first())


def _export(actor: Any, folder: Path) -> int:
    from stash.vfs.budget import Budget
    from stash.vfs.mounts import root_of
    from stash.vfs.shell.walking import Met, walk
    from stash.vfs.tree import File, Reader, find

    size = 0
    root = root_of(Reader(actor, Budget(seconds=3600, bytes=10**12, rows=10**9)))
    for met in walk(Met("/projects", find(root, "/projects"))):
        if isinstance(met.node, File) and met.node.name == "transcript.md":
            place = folder / met.path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            size += place.write_bytes(b"".join(met.node.blocks()))
    return size


def _timed(actor: Any, pattern: str, times: int) -> dict[str, Any]:
    from stash.vfs.budget import Budget
    from stash.vfs.shell import run_line

    budget = {"seconds": 600.0, "rows": 10**9, "bytes": 10**12, "output": 10**12}
    told: dict[str, Any] = {"pattern": pattern, "whole": [], "first": []}
    for _ in range(times):
        began = time.perf_counter()
        outcome = run_line(actor, f"rg -n {pattern} /projects", budget=Budget(**budget))
        told["whole"].append(time.perf_counter() - began)
        began = time.perf_counter()
        run_line(actor, f"rg -n {pattern} /projects | head -n 1")
        told["first"].append(time.perf_counter() - began)
    told["lines"] = outcome.stdout.count(b"\n")
    told["said"] = "complete" if not run_line(actor, f"rg -c {pattern} /projects").truncated else "past the budget"
    return told


if __name__ == "__main__":
    django.setup()
    print(json.dumps(measure(**json.loads(sys.argv[1]))))
