"""Hermes's hook events. Whatever happens, the payload has the same six fields; all else stands in ``extra``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Optional

from stash_client.events import JSON, Attention, SessionStart, Subagent, TurnEnd
from stash_client.events import SessionEnd as End
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Handler, Hook, first, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.hermes.results import read_result
from stash_client.harnesses.tools import fields_of

_NOISE = frozenset((
    "task_id", "api_request_id", "middleware_trace", "conversation_history", "sender_id", "platform", "session_key",
    "pattern_key", "pattern_keys", "surface", "error_type", "parent_turn_id", "parent_subagent_id", "child_subagent_id",
))  # fmt: skip
_NAMES = {
    "user_message": "prompt", "child_goal": "task", "child_role": "agent_type", "child_summary": "summary",
    "child_status": "status", "child_session_id": "agent_id", "old_session_id": "session_id",
}  # fmt: skip


def flat(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """``extra`` brought to the top under the names that agents have in common."""
    top = {key: value for key, value in payload.items() if key != "extra" and value not in (None, "")}
    extra = {key: value for key, value in fields_of(payload.get("extra")).items() if key not in _NOISE}
    renamed = {_NAMES.get(key, key): value for key, value in extra.items() if value is not None}
    if not isinstance(payload.get("extra"), Mapping):
        return payload
    return {**top, **renamed}


def is_first_turn(payload: Mapping[str, JSON]) -> bool:
    """The model is called in every turn."""
    return fields_of(payload.get("extra")).get("is_first_turn") is not False


def agent_of(payload: Mapping[str, JSON]) -> tuple[str, str]:
    """(parent, agent): a subagent talks under an id of its own; whose it is, only the store knows."""
    own, parent = identifier(first(payload, "session")), identifier(first(payload, "parent"))
    asked = identifier(payload.get("agent_id"))
    above = f"{parent}/{own}" if parent and asked else parent or own
    return above, asked or (own if parent else "")


def tool_done(hook: Hook) -> Batches:
    """An error of the tool has a status; a command that failed has only its exit code."""
    result = read_result(hook.get("output"))
    ok = hook.text("status") in ("", "ok") and h.verdict(result) is not False
    told = replace(hook, payload={k: v for k, v in hook.payload.items() if k not in ("status", "error_message")})
    return hook.own(h.finished(told, result, ok=ok))


def reply(hook: Hook) -> Batches:
    """The question comes with its answer, but was told when it was asked."""
    return h.reply(replace(hook, payload={key: value for key, value in hook.payload.items() if key != "prompt"}))


def turn_end(hook: Hook) -> Batches:
    """Comes after every turn, whatever its name says."""
    broken = hook.payload.get("interrupted") is True
    reason = "interrupted" if broken else "completed" if hook.payload.get("completed") is not False else "error"
    return hook.own(hook.make(TurnEnd, reason=reason, extra=hook.rest("interrupted", "completed", "reason")))


def approval(hook: Hook) -> Batches:
    command = text_or(hook.payload.get("command")) or None
    extra = hook.rest("command", "description", "call")
    return hook.own(
        hook.make(Attention, what="permission", text=hook.text("description"), command=command, extra=extra)
    )


def subagent_starts(hook: Hook) -> Batches:
    """What it was asked and what it says is told by its own events."""
    started = _subagent(hook, "started")
    return hook.above(started) + hook.own(hook.make(SessionStart, source="startup")) if _is_child(hook) else ()


def subagent_stops(hook: Hook) -> Batches:
    if not _is_child(hook):
        return ()
    finished = replace(_subagent(hook, "finished"), text=hook.text("summary"))
    return hook.above(finished) + hook.own(hook.make(End, reason=hook.text("status") or "completed"))


def _is_child(hook: Hook) -> bool:
    return hook.info.native_id != hook.parent.native_id


def _subagent(hook: Hook, state: str) -> Subagent:
    agent = identifier(hook.payload.get("agent_id"))
    kind = hook.info.agent_type
    return hook.make(Subagent, agent_id=agent, agent_type=kind, state=state, task=hook.text("task"))


EVENTS: Mapping[str, Handler] = {
    "on_session_start": h.session_start,
    "on_session_end": turn_end,
    "on_session_finalize": h.session_end,
    "on_session_reset": h.drop,
    "pre_llm_call": h.prompt,
    "post_llm_call": reply,
    "pre_tool_call": h.tool_starts,
    "post_tool_call": tool_done,
    "pre_approval_request": approval,
    "post_approval_response": h.drop,
    "subagent_start": subagent_starts,
    "subagent_stop": subagent_stops,
}


def answer(event: str, context: Optional[str]) -> bytes:
    return json.dumps({"context": context}).encode() if context and event == "pre_llm_call" else b""
