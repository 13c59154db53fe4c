"""Claude Code's hook events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Optional

from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Handler

EVENTS: Mapping[str, Handler] = {
    "SessionStart": h.session_start,
    "SessionEnd": h.session_end,
    "UserPromptSubmit": h.prompt,
    "UserPromptExpansion": h.prompt,
    "PreToolUse": h.tool_starts,
    "PostToolUse": h.tool_done,
    "PostToolUseFailure": h.tool_failed,
    "PostToolBatch": h.drop,
    "MessageDisplay": h.drop,
    "PermissionRequest": h.permission,
    "Notification": h.notification,
    "Elicitation": h.question,
    "Stop": h.turn_end,
    "StopFailure": h.turn_failed,
    "Interrupt": h.interrupted,
    "PreCompact": h.compacting,
    "PostCompact": h.compacted,
    "SubagentStart": h.subagent_starts,
    "SubagentStop": h.subagent_stops,
}
_TAKES_CONTEXT = frozenset({"SessionStart", "UserPromptSubmit", "SubagentStart", "PreToolUse", "PostToolUse"})


def answer(event: str, context: Optional[str]) -> bytes:
    """Nothing unless there is context to add: plain text from some events would reach the model or be an error."""
    if not context or event not in _TAKES_CONTEXT:
        return b""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}).encode()
