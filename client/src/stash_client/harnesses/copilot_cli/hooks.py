"""Copilot CLI's hook events. How its configuration spells an event decides how the payload is spelt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Optional

from stash_client.events import Activity, Note, SessionStart, TurnEnd
from stash_client.harnesses import content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Handler, Hook
from stash_client.harnesses.content import text_or
from stash_client.harnesses.tools import fields_of

_SOURCES = {"new": "startup"}
_FAILED = frozenset({"failure", "rejected", "denied", "timeout"})


def session_start(hook: Hook) -> Batches:
    """The first prompt comes again in an event of its own."""
    source = hook.text("source")
    extra = hook.rest("source", "initialPrompt", "initial_prompt")
    start = hook.make(SessionStart, source=_SOURCES.get(source, source) or None, model=hook.info.model, extra=extra)
    return hook.own(start)


def tool_done(hook: Hook) -> Batches:
    result = fields_of(hook.get("output"))
    told = result.get("textResultForLlm", result.get("text_result_for_llm", hook.get("output")))
    ended = text_or(result.get("resultType", result.get("result_type")))
    output, code = content.exit_line(content.text_of(told))
    event = h.finished(hook, output, ok=ended not in _FAILED and not code)
    return hook.own(replace(event, exit_code=code))


def failed(hook: Hook) -> Batches:
    """Of most errors the agent recovers by itself."""
    error = fields_of(hook.payload.get("error"))
    text = text_or(error.get("message")) or hook.text("error")
    extra = hook.rest("error")
    if hook.payload.get("recoverable") is True:
        return hook.own(hook.make(Note, name=hook.event, text=text, extra=extra))
    return hook.own(hook.make(TurnEnd, reason="error", text=text, extra=extra))


def subagent_starts(hook: Hook) -> Batches:
    """Names the kind of agent but not which one, so it can only be shown; the session file tells the rest."""
    kind = text_or(hook.payload.get("agentDisplayName")) or text_or(hook.payload.get("agentName"))
    return hook.own(hook.make(Activity, name="task", family="agent", text=f"Asking a subagent: {kind}"))


EVENTS: Mapping[str, Handler] = {
    **dict.fromkeys(("sessionStart", "SessionStart"), session_start),
    **dict.fromkeys(("sessionEnd", "SessionEnd"), h.session_end),
    **dict.fromkeys(("userPromptSubmitted", "UserPromptSubmit"), h.prompt),
    **dict.fromkeys(("preToolUse", "PreToolUse"), h.tool_starts),
    **dict.fromkeys(("postToolUse", "PostToolUse"), tool_done),
    **dict.fromkeys(("postToolUseFailure", "PostToolUseFailure"), h.tool_failed),
    **dict.fromkeys(("permissionRequest", "PermissionRequest"), h.permission),
    **dict.fromkeys(("notification", "Notification"), h.notification),
    **dict.fromkeys(("agentStop", "Stop"), h.turn_end),
    **dict.fromkeys(("errorOccurred", "ErrorOccurred"), failed),
    **dict.fromkeys(("preCompact", "PreCompact"), h.compacted),
    **dict.fromkeys(("subagentStart", "SubagentStart"), subagent_starts),
    **dict.fromkeys(("subagentStop", "SubagentStop"), h.drop),
}
_TAKES_CONTEXT = frozenset({"sessionStart", "SessionStart"})


def answer(event: str, context: Optional[str]) -> bytes:
    """Only a session's start takes context; what other events print is ignored."""
    return json.dumps({"additionalContext": context}).encode() if context and event in _TAKES_CONTEXT else b""
