"""Gemini CLI's hook events. Its tool calls have no ids: hook and transcript are told to be one by what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stash_client.events import Attention
from stash_client.harnesses import handlers as h
from stash_client.harnesses.answers import context_after
from stash_client.harnesses.base import Batches, Handler, Hook
from stash_client.harnesses.content import text_or
from stash_client.harnesses.gemini_cli.results import read_result
from stash_client.harnesses.tools import fields_of


def tool_done(hook: Hook) -> Batches:
    response = hook.get("output")
    fields = fields_of(response)
    told = fields.get("llmContent") if "llmContent" in fields else response
    family = hook.harness.family(hook.text("tool"))
    result = read_result(family, told, fields.get("returnDisplay"), _message(fields.get("error")))
    return hook.own(replace(h.finished(hook, result.output, ok=result.ok), exit_code=result.exit_code))


def _message(error: object) -> object:
    return fields_of(error).get("message") or error or None


def notification(hook: Hook) -> Batches:
    """Of its notifications only the wish to run a tool is known."""
    if hook.text("notification_type") != "ToolPermission":
        return h.notification(hook)
    details = fields_of(hook.payload.get("details"))
    command = text_or(details.get("command")) or None
    text = hook.text("message") or text_or(details.get("title"))
    extra = hook.rest("message", "notification_type")
    return hook.own(hook.make(Attention, what="permission", text=text, command=command, extra=extra))


EVENTS: Mapping[str, Handler] = {
    "SessionStart": h.session_start,
    "SessionEnd": h.session_end,
    "BeforeAgent": h.prompt,
    "AfterAgent": h.turn_end,
    "BeforeTool": h.tool_starts,
    "AfterTool": tool_done,
    "PreCompress": h.compacted,
    "Notification": notification,
    **dict.fromkeys(("BeforeModel", "AfterModel", "BeforeToolSelection"), h.drop),
}
# Plain text would be shown to the person.
answer = context_after("SessionStart", "BeforeAgent", "AfterTool")
