"""Bodies of POST /events as a client sends them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import uuid4

START = datetime(2026, 11, 24, 9, 15, tzinfo=UTC)
_n = count(1)


def event(kind: str, *, at: float = 0, uid: str | None = None, **fields) -> dict:
    """One item; ``at`` in seconds after START."""
    return {
        "uid": uid or str(uuid4()),
        "n": next(_n),
        "kind": kind,
        "occurred_at": (START + timedelta(seconds=at)).isoformat(),
        **fields,
    }


def prompt(text: str, **fields) -> dict:
    return event("prompt", text=text, **fields)


def reply(text: str, **fields) -> dict:
    return event("reply", text=text, **fields)


def shell(command: str, output: str = "", exit_code: int = 0, **fields) -> dict:
    return event(
        "tool_call",
        name="Bash",
        family="shell",
        input={"command": command},
        output=output,
        ok=exit_code == 0,
        exit_code=exit_code,
        **fields,
    )


def edit(path: str, diff: str = "", **fields) -> dict:
    return event("tool_call", name="Edit", family="edit", input={"file_path": path}, paths=[path], diff=diff, **fields)


def body(*events: dict, native_id: str = "s-1", harness: str = "claude-code", project: str = "shop", **session) -> dict:
    return {
        "session": {
            "harness": harness,
            "native_id": native_id,
            "project": {"identities": [f"git.example.test/acme/{project}"]},
            **session,
        },
        "events": list(events),
    }
