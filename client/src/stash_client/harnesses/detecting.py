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
    if said in ("claude-code", "unknown") and _is_copilot(payload):
        return "copilot-cli"
    for name, fields in _MARKS:
        if all(field in payload for field in fields) and (name in _CERTAIN or said in _SHARED):
            return _mixed_case(payload, said) if name == "droid" else name
    return said


def _is_copilot(payload: dict[str, JSON]) -> bool:
    """Copilot CLI runs Claude Code's hooks with Claude Code's fields, but dates them and keeps its files elsewhere."""
    path = payload.get("transcript_path")
    dated = all(name in payload for name in ("session_id", "hook_event_name", "timestamp"))
    return dated and (path is None or (isinstance(path, str) and "/.copilot/" in path.replace("\\", "/")))


def _mixed_case(payload: JSON, said: str) -> str:
    """Droid and VS Code write the same mixture; only VS Code dates its payloads, and runs Copilot CLI's hooks."""
    if said not in ("claude-code", "copilot-cli", "unknown"):
        return said
    return "vscode-copilot" if "timestamp" in payload else "droid"
