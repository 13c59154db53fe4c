"""Claude Code's hook events."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.harnesses import handlers as h
from stash_client.harnesses.answers import context_after
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
answer = context_after("SessionStart", "UserPromptSubmit", "SubagentStart", "PreToolUse", "PostToolUse")
