"""Codex's hook events: Claude Code's names, but a finished tool is not yet a tool that went well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Handler, Hook
from stash_client.harnesses.codex.results import read_result


def tool_done(hook: Hook) -> Batches:
    """Failures come here too; without an exit code in the text nobody knows how it went."""
    told = read_result(hook.get("output"))
    patched = isinstance(told.output, str) and told.output.startswith("Success.") and hook.text("tool") == "apply_patch"
    event = h.finished(hook, told.output, ok=True if patched else told.ok)
    return hook.own(replace(event, exit_code=told.exit_code, duration_ms=event.duration_ms or told.duration_ms))


EVENTS: Mapping[str, Handler] = {
    "SessionStart": h.session_start,
    "SessionEnd": h.session_end,
    "UserPromptSubmit": h.prompt,
    "PreToolUse": h.tool_starts,
    "PostToolUse": tool_done,
    "PermissionRequest": h.permission,
    "PreCompact": h.compacting,
    "PostCompact": h.compacted,
    "SubagentStart": h.subagent_starts,
    "SubagentStop": h.subagent_stops,
    "Stop": h.turn_end,
    "StopFailure": h.turn_failed,
    "Interrupt": h.interrupted,
}
