"""Sessions on a server, made the way every client makes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

_EVENTS = (
    {"kind": "prompt", "text": "fix the totals"},
    {"kind": "tool_call", "name": "shell", "family": "shell", "input": {"command": "pytest"}, "output": "1 failed",
     "ok": False, "exit_code": 1},
    {"kind": "reply", "text": "rounded once per ticket", "usage": {"input": 10, "output": 2}},
    {"kind": "turn_end"},
)  # fmt: skip


def tell(person, native_id: str, events: list[dict[str, Any]], harness: str = "claude-code") -> str:
    """Post events of a session in the project ``shop``; the session's id."""
    at = datetime.now(UTC).isoformat()
    session = {
        "harness": harness,
        "native_id": native_id,
        "project": {"identities": ["git.example.test/acme/shop"]},
        "branch": "main",
        "machine": "laptop",
    }
    body = {"session": session, "events": [{"occurred_at": at, **event} for event in events]}
    answer = person.api.post("/api/v1/events", body, format="json").json()
    assert not answer["rejected"], answer
    return answer["session"]


def capture(person, native_id: str = "s-1", harness: str = "claude-code") -> str:
    """A whole turn; the session's id."""
    events = [{"uid": f"{native_id}-{n}", "n": n, **event} for n, event in enumerate(_EVENTS, 1)]
    return tell(person, native_id, events, harness)
