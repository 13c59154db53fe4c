"""Kiro's hook events: version 2 in camel case, version 3 in Pascal case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Optional

from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Handler, Hook
from stash_client.harnesses.kiro.results import read_result


def tool_done(hook: Hook) -> Batches:
    told = read_result(hook.get("output"))
    event = h.finished(hook, told.output, ok=told.ok is not False)
    return hook.own(replace(event, exit_code=told.exit_code))


EVENTS: Mapping[str, Handler] = {
    **dict.fromkeys(("agentSpawn", "SessionStart"), h.session_start),
    **dict.fromkeys(("userPromptSubmit", "UserPromptSubmit"), h.prompt),
    **dict.fromkeys(("preToolUse", "PreToolUse"), h.tool_starts),
    **dict.fromkeys(("postToolUse", "PostToolUse"), tool_done),
    **dict.fromkeys(("stop", "Stop"), h.turn_end),
    "PreCompact": h.compacting,
    "PostCompact": h.compacted,
    "SubagentStop": h.subagent_stops,
}
_TAKES_CONTEXT = frozenset({"agentSpawn", "userPromptSubmit", "SessionStart", "UserPromptSubmit"})


def answer(event: str, context: Optional[str]) -> bytes:
    """What these events print goes into the context as it is."""
    return context.encode("utf-8", "replace") if context and event in _TAKES_CONTEXT else b""
