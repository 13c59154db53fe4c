"""What each agent's settings need so that it calls ``stash hook``."""

from __future__ import annotations

import json

_CLAUDE = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
    "PermissionRequest", "Notification", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PostCompact",
)  # fmt: skip
_CODEX = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest",
    "PostCompact", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
)  # fmt: skip
_CURSOR = (
    "sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure",
    "subagentStart", "subagentStop", "afterAgentResponse", "preCompact", "stop",
)  # fmt: skip


def _nested(harness: str, events: tuple[str, ...]) -> str:
    call = [{"hooks": [{"type": "command", "command": f"stash hook {harness}", "timeout": 10}]}]
    return json.dumps({"hooks": dict.fromkeys(events, call)}, indent=2)


def _flat(harness: str, events: tuple[str, ...]) -> str:
    call = [{"command": f"stash hook {harness}", "timeout": 10}]
    return json.dumps({"version": 1, "hooks": dict.fromkeys(events, call)}, indent=2)


SNIPPETS = {
    "claude-code": ("~/.claude/settings.json", _nested("claude-code", _CLAUDE)),
    "codex": ("~/.codex/hooks.json (then approve the command in /hooks)", _nested("codex", _CODEX)),
    "cursor": ("~/.cursor/hooks.json", _flat("cursor", _CURSOR)),
}
"""harness -> (file, JSON to merge into it)"""
