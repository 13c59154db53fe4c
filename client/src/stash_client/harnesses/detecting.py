"""Which agent sent a payload. Several load each other's configuration, so the body decides before the flag."""

from __future__ import annotations

from stash_client.events import JSON
from stash_client.ids import canonical_harness

_MARKS = (
    ("cursor", ("cursor_version",)),
    ("windsurf", ("trajectory_id",)),
    ("cline", ("clineVersion",)),
    ("goose", ("event", "matcher_context")),
    ("grok", ("hookEventName", "workspaceRoot")),
    ("droid", ("sessionId", "hookEventName", "tool_name")),
    ("codex", ("turn_id", "model", "hook_event_name")),
)
# Flags of agents whose configuration others read too; a flag that names any other agent is believed.
_SHARED = frozenset({"claude-code", "cursor", "codex", "copilot-cli", "unknown"})
_CERTAIN = frozenset({"cursor", "windsurf", "cline"})


def detect(payload: JSON, flag: str) -> str:
    """The canonical name of the harness that wrote ``payload``; ``flag`` is what its hook command said."""
    said = canonical_harness(flag)
    if not isinstance(payload, dict):
        return said
    for name, fields in _MARKS:
        if all(field in payload for field in fields) and (name in _CERTAIN or said in _SHARED):
            return _mixed_case(payload, said) if name == "droid" else name
    return said


def _mixed_case(payload: JSON, said: str) -> str:
    """Droid and VS Code write the same mixture; only VS Code dates its payloads."""
    if said not in ("claude-code", "unknown"):
        return said
    return "vscode-copilot" if "timestamp" in payload else "droid"
