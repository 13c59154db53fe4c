"""OpenClaw's plugin hooks: ``{event, ctx}``. A slot, the ``sessionKey``, stays while the sessions in it change, and
some events name nothing else; which session is in it now, only the store knows (``lookup``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Optional

from stash_client.events import JSON, Compaction, Event, Reply, SessionEnd, SessionStart, Subagent, Thinking, TurnEnd
from stash_client.harnesses import content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Handler, Hook, first, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.entries import message_id_of
from stash_client.harnesses.messages import usage_of
from stash_client.harnesses.openclaw.results import agent_in_key, read_result
from stash_client.harnesses.tools import fields_of

_INTERRUPTED = frozenset({"aborted", "cancelled", "interrupted"})


def flat(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """The names all agents have in common, and the event's own fields beside them."""
    told, ctx = fields_of(payload.get("event")), fields_of(payload.get("ctx"))
    key = first_text("sessionKey", ctx, told) or first_text("requesterSessionKey", ctx, told)
    known = {
        "sessionId": first_text("sessionId", ctx, told, payload),
        "sessionKey": key,
        "childKey": first_text("childSessionKey", ctx, told) or first_text("targetSessionKey", told),
        "slot": first_text("agentId", ctx, told),
        "cwd": first_text("workspaceDir", ctx),
        "model": first_text("modelId", ctx),
        "turn_id": first_text("runId", told, ctx),
    }
    return {**{name: value for name, value in known.items() if value}, "told": told}


def first_text(name: str, *places: Mapping[str, JSON]) -> str:
    return next((place[name] for place in places if isinstance(place.get(name), str) and place[name]), "")


def agent_of(payload: Mapping[str, JSON]) -> tuple[str, str]:
    """(parent, agent): a subagent has a slot of its own that names it. Without a session the slot has to do."""
    key, child = text_or(payload.get("sessionKey")), text_or(payload.get("childKey"))
    own = identifier(first(payload, "session")) or identifier(key)
    parent = identifier(first(payload, "parent"))
    inside = agent_in_key(key)
    if child and child != key:
        above = f"{parent}/{inside}" if parent and inside else own
        return above, agent_in_key(child) or identifier(child)
    return (parent, inside or own) if parent else (own, "")


def _told(hook: Hook) -> Mapping[str, JSON]:
    return fields_of(hook.payload.get("told"))


def _plain(hook: Hook, **fields: JSON) -> Hook:
    """The same moment with only these fields, for handlers that keep what they do not know."""
    kept = {name: hook.payload[name] for name in ("turn_id",) if name in hook.payload}
    return replace(hook, payload={**kept, **fields})


def _without_turn(batches: Batches) -> Batches:
    """Session files know no turns."""
    return tuple(replace(b, events=tuple(replace(event, turn_id=None) for event in b.events)) for b in batches)


# Sessions


def session_start(hook: Hook) -> Batches:
    source = "resume" if _told(hook).get("resumedFrom") else "startup"
    return hook.own(hook.make(SessionStart, source=source, model=hook.info.model))


def session_end(hook: Hook) -> Batches:
    following = identifier(_told(hook).get("nextSessionId"))
    extra = {"next_session_id": following} if following else {}
    return hook.own(hook.make(SessionEnd, reason=text_or(_told(hook).get("reason")) or None, extra=extra))


def agent_end(hook: Hook) -> Batches:
    """The end of a turn; what was said came with the messages."""
    told = _told(hook)
    error = text_or(told.get("error"))
    failed = told.get("success") is False
    reason = "completed" if not failed else "interrupted" if error in _INTERRUPTED else "error"
    return hook.own(hook.make(TurnEnd, reason=reason, text=error))


def compacted(hook: Hook) -> Batches:
    return hook.own(hook.make(Compaction, tokens_after=number(_told(hook).get("tokenCount"))))


def spawned(hook: Hook) -> Batches:
    if hook.info.native_id == hook.parent.native_id:
        return ()
    told = _told(hook)
    model = text_or(told.get("resolvedModel")) or None
    started = _subagent(hook, state="started", task=text_or(told.get("label")))
    return hook.above(started) + hook.own(hook.make(SessionStart, source="startup", model=model))


def ended(hook: Hook) -> Batches:
    """What it reports comes as a message of its own later."""
    if hook.info.native_id == hook.parent.native_id:
        return ()
    outcome = text_or(_told(hook).get("outcome")) or text_or(_told(hook).get("reason")) or "completed"
    return hook.above(_subagent(hook, state="finished")) + hook.own(hook.make(SessionEnd, reason=outcome))


def _subagent(hook: Hook, **fields: str) -> Subagent:
    return hook.make(Subagent, agent_id=hook.info.native_id.rpartition("/")[2], **fields)


# Messages and tools


def message_written(hook: Hook) -> Batches:
    """Every message on its way into the session: results of tools have an event of their own."""
    message = fields_of(_told(hook).get("message"))
    role = message.get("role")
    if role == "user":
        blocks = content.blocks_of(message.get("content"))
        prompted = _plain(hook, prompt=[dict(block) for block in blocks])
        return _without_turn(h.prompt(prompted)) if blocks else ()
    return _without_turn(hook.own(*_said(hook, message))) if role == "assistant" else ()


def _said(hook: Hook, message: Mapping[str, JSON]) -> list[Event]:
    model = text_or(message.get("model")) or None
    usage = usage_of(fields_of(message.get("usage")))
    said = message_id_of(message)
    told: list[Event] = []
    spoke = False
    for block in content.blocks_of(message.get("content")):
        text = text_or(block.get("text"))
        if block.get("type") == "thinking" and text_or(block.get("thinking")).strip():
            told.append(hook.make(Thinking, text=text_or(block.get("thinking")), message_id=said))
        elif block.get("type") == "text" and text.strip():
            reply = hook.make(Reply, text=text, model=model, usage=None if spoke else usage, message_id=said)
            told.append(reply)
            spoke = True
    return told


def tool_starts(hook: Hook) -> Batches:
    return h.tool_starts(_call(hook))


def tool_done(hook: Hook) -> Batches:
    told, result = _told(hook), fields_of(_told(hook).get("result"))
    error = told.get("error")
    blocks = error if error is not None else result.get("content", told.get("result"))
    read = read_result(blocks, result.get("details"), error is not None)
    done = h.finished(_call(hook), read.told, ok=read.ok)
    return hook.own(replace(done, exit_code=read.exit_code))


def _call(hook: Hook) -> Hook:
    told = _told(hook)
    return _plain(
        hook,
        toolName=told.get("toolName"),
        toolCallId=told.get("toolCallId"),
        params=told.get("params"),
        durationMs=told.get("durationMs"),
    )


def fallback(hook: Hook) -> Batches:
    """Much else happens in a gateway; it is kept where it belongs to a session."""
    return h.note(_plain(hook, **_told(hook))) if first(hook.payload, "session") and _told(hook) else ()


EVENTS: Mapping[str, Handler] = {
    "session_start": session_start,
    "session_end": session_end,
    "before_message_write": message_written,
    "before_tool_call": tool_starts,
    "after_tool_call": tool_done,
    "agent_end": agent_end,
    "before_compaction": h.compacting,
    "after_compaction": compacted,
    "subagent_spawned": spawned,
    "subagent_ended": ended,
    **dict.fromkeys(
        (
            "before_prompt_build", "before_agent_start", "llm_input", "llm_output", "message_received", "message_sent",
            "message_sending", "before_reset", "tool_result_persist", "gateway_start", "gateway_stop",
            "subagent_spawning", "subagent_delivery_target", "before_model_resolve",
        ),
        h.drop,
    ),
}  # fmt: skip


def answer(event: str, context: Optional[str]) -> bytes:
    """What our plugin returns to the gateway."""
    taken = context and event == "before_prompt_build"
    return json.dumps({"appendSystemContext": context}).encode() if taken else b""
