"""Which agent sent a payload. Several load each other's configuration, so the body decides before the flag."""

from __future__ import annotations

import re

from stash_client.events import JSON
from stash_client.ids import canonical_harness

_MARKS = (
    ("cursor", ("cursor_version",)),
    ("windsurf", ("trajectory_id",)),
    ("cline", ("clineVersion",)),
    ("goose", ("event", "matcher_context")),
    ("grok", ("hookEventName", "workspaceRoot")),
    # Both write a mixture of cases; only VS Code dates its payloads.
    ("vscode-copilot", ("sessionId", "hookEventName", "timestamp")),
    ("droid", ("sessionId", "hookEventName", "tool_name")),
    ("droid", ("sessionId", "hookEventName", "transcriptPath")),
    ("codex", ("turn_id", "model", "hook_event_name")),
)
# Flags of agents whose configuration others read too; a flag that names any other agent is believed.
_SHARED = frozenset({"claude-code", "cursor", "codex", "copilot-cli", "unknown"})
_CERTAIN = frozenset({"cursor", "windsurf", "cline"})
_SLUG = re.compile(r"[a-z]+(?:-[a-z]+)+")


def detect(payload: JSON, flag: str) -> str:
    """The canonical name of the harness that wrote ``payload``; ``flag`` is what its hook command said."""
    said = canonical_harness(flag)
    if not isinstance(payload, dict):
        return said
    if said in ("claude-code", "unknown") and _is_copilot(payload):
        return "copilot-cli"
    for name, fields in _MARKS:
        if all(field in payload for field in fields) and (name in _CERTAIN or said in _SHARED):
            return name
    return "devin-cli" if said == "claude-code" and _names_by_words(payload) else said


def _names_by_words(payload: dict[str, JSON]) -> bool:
    """Devin's payloads are Claude Code's without folder and file, and words are their session's id."""
    session = payload.get("session_id")
    bare = "cwd" not in payload and "transcript_path" not in payload
    return bare and isinstance(session, str) and bool(_SLUG.fullmatch(session))


def _is_copilot(payload: dict[str, JSON]) -> bool:
    """Copilot CLI runs Claude Code's hooks with Claude Code's fields, but dates them and keeps its files elsewhere."""
    path = payload.get("transcript_path")
    dated = all(name in payload for name in ("session_id", "hook_event_name", "timestamp"))
    return dated and (path is None or (isinstance(path, str) and "/.copilot/" in path.replace("\\", "/")))
