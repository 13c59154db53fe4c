"""OpenCode's plugin hooks (``{input, output}``) and bus events (``{type, properties}``), one call of ours for each.

A call knows nothing of those before it, and the bus repeats a part for every piece that is streamed. So only states
that are final become events: a text that has an end, a tool that has ended. Ids of messages and calls tell the server
that the store, read at the end of a turn or later, speaks of the same moments.

Our plugin adds to each payload ``hook``, the event's name, and ``directory``; a text it sends is the last of its turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Optional

from stash_client.events import (
    JSON,
    Attention,
    Compaction,
    Event,
    Reply,
    SessionEnd,
    SessionStart,
    Subagent,
    Thinking,
    TurnEnd,
    Usage,
)
from stash_client.harnesses import content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Handler, Hook, first, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.opencode.parts import (
    ABORTED,
    agent_type_of,
    attachment_of,
    error_text,
    is_said,
    read_result,
    title_of,
    usage_of,
)
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import plus


def flat(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """The names all agents have in common; what was nested stays beside them for those who need it."""
    properties, given = fields_of(payload.get("properties")), fields_of(payload.get("input"))
    info, part = fields_of(properties.get("info")), fields_of(properties.get("part"))
    is_session = event.startswith("session.")
    about = info if is_session else {}
    known = {
        "sessionID": first(given, "session") or first(properties, "session") or part.get("sessionID")
        or info.get("id" if is_session else "sessionID") or payload.get("sessionID"),
        "cwd": about.get("directory") or payload.get("directory"),
        "session_title": title_of(about),
        "version": about.get("version"),
        "parentSessionId": about.get("parentID") or payload.get("parentID"),
        "agent_type": agent_type_of(about),
        "turn_id": payload.get("turn"),
        "model": fields_of(given.get("model")).get("modelID"),
    }  # fmt: skip
    nested = {
        "input": given,
        "output": fields_of(payload.get("output")),
        "properties": properties,
        "is_final": "hook" in payload,
    }
    return {**{key: value for key, value in known.items() if value}, **nested}


def agent_of(payload: Mapping[str, JSON]) -> tuple[str, str]:
    """(parent, agent): a subagent is a session of its own."""
    own, parent = identifier(first(payload, "session")), identifier(first(payload, "parent"))
    return (parent, own) if parent and parent != own else (own, "")


def _properties(hook: Hook) -> Mapping[str, JSON]:
    return fields_of(hook.payload.get("properties"))


def _output(hook: Hook) -> Mapping[str, JSON]:
    return fields_of(hook.payload.get("output"))


def _plain(hook: Hook, **fields: JSON) -> Hook:
    """The same moment with only these fields, for handlers that keep what they do not know."""
    kept = ("sessionID", "parentSessionId", "turn_id")
    return replace(hook, payload={**{k: hook.payload[k] for k in kept if k in hook.payload}, **fields})


def _is_child(hook: Hook) -> bool:
    return hook.info.native_id != hook.parent.native_id


# Sessions


def session_created(hook: Hook) -> Batches:
    start = hook.own(hook.make(SessionStart, source="startup", model=hook.info.model))
    if not _is_child(hook):
        return start
    agent, kind = identifier(first(hook.payload, "session")), hook.info.agent_type
    return hook.above(hook.make(Subagent, agent_id=agent, agent_type=kind, state="started")) + start


def session_idle(hook: Hook) -> Batches:
    """After every turn; for a subagent it is the end. With the turn's messages, if the store had them."""
    messages = hook.payload.get("messages")
    said: list[Event] = []
    owed = Usage()
    for message in map(fields_of, messages if isinstance(messages, list) else ()):
        info = fields_of(message.get("info"))
        if info.get("role") == "assistant" and not info.get("summary"):
            owed = plus(owed, usage_of(info.get("tokens")))
            told = _said(hook, info, message.get("parts"))
            spoken = next((i for i, event in enumerate(told) if isinstance(event, Reply)), None)
            if spoken is not None:
                told[spoken], owed = replace(told[spoken], usage=owed), Usage()  # type: ignore[call-arg]
            said += told
    end = hook.make(SessionEnd, reason="completed") if _is_child(hook) else hook.make(TurnEnd)
    return hook.own(*said, end)


def _said(hook: Hook, info: Mapping[str, JSON], parts: JSON) -> list[Event]:
    made: list[Event] = []
    for part in map(fields_of, parts if isinstance(parts, list) else ()):
        text = text_or(part.get("text"))
        if text.strip() and part.get("type") == "reasoning":
            made.append(hook.make(Thinking, text=text, message_id=identifier(info.get("id")) or None))
        elif text.strip() and is_said(part):
            made.append(replace(_reply(hook, text, info.get("id")), model=text_or(info.get("modelID")) or None))
    return made


def _reply(hook: Hook, text: str, message: JSON) -> Reply:
    return hook.make(Reply, text=text, model=hook.info.model, message_id=identifier(message) or None)


def session_error(hook: Hook) -> Batches:
    error = _properties(hook).get("error")
    reason = "interrupted" if fields_of(error).get("name") == ABORTED else "error"
    return hook.own(hook.make(TurnEnd, reason=reason, text=error_text(error)))


def session_deleted(hook: Hook) -> Batches:
    return hook.own(hook.make(SessionEnd, reason="deleted"))


def compacted(hook: Hook) -> Batches:
    return hook.own(hook.make(Compaction))


# Messages and tools


def chat_message(hook: Hook) -> Batches:
    output = _output(hook)
    listed = output.get("parts")
    parts = [fields_of(part) for part in (listed if isinstance(listed, list) else ())]
    texts = [{"type": "text", "text": text_or(part.get("text"))} for part in parts if is_said(part)]
    attached = [name for name in map(attachment_of, parts) if name]
    message = identifier(fields_of(output.get("message")).get("id")) or identifier(
        fields_of(hook.payload.get("input")).get("messageID")
    )
    if not texts and not attached:
        return ()
    batches = h.prompt(_plain(hook, prompt=texts, attachments=attached, turn_id=message))
    return tuple(
        replace(batch, events=tuple(replace(event, message_id=message or None) for event in batch.events))
        for batch in batches
    )


def part_updated(hook: Hook) -> Batches:
    """Parts of a user's message have no times; their role would be known from the message alone."""
    part = fields_of(_properties(hook).get("part"))
    time, state = fields_of(part.get("time")), fields_of(part.get("state"))
    ended = time.get("end") or (time and hook.payload.get("is_final"))
    text = text_or(part.get("text"))
    if part.get("type") == "tool" and state.get("status") in ("completed", "error"):
        return _tool(hook, part.get("tool"), part.get("callID"), state)
    if not ended or not text.strip() or hook.payload.get("role") == "user":
        return ()
    if part.get("type") == "reasoning":
        return hook.own(hook.make(Thinking, text=text, message_id=identifier(part.get("messageID")) or None))
    return hook.own(_reply(hook, text, part.get("messageID"))) if is_said(part) else ()


def tool_starts(hook: Hook) -> Batches:
    given = fields_of(hook.payload.get("input"))
    called = {"tool": given.get("tool"), "callID": given.get("callID"), "args": _output(hook).get("args")}
    return h.tool_starts(_plain(hook, **called))


def tool_done(hook: Hook) -> Batches:
    given, output = fields_of(hook.payload.get("input")), _output(hook)
    state = {"input": given.get("args", output.get("args")), **output}
    return _tool(hook, given.get("tool"), given.get("callID"), state)


def _tool(hook: Hook, name: JSON, call: JSON, state: Mapping[str, JSON]) -> Batches:
    result = read_result(state.get("output"), state.get("metadata"), state.get("error"))
    called = _plain(hook, tool=name, callID=call, args=state.get("input"), duration_ms=_duration(state))
    done = replace(h.finished(called, result.told, ok=result.ok), exit_code=result.exit_code)
    if not result.agent:
        return hook.own(done)
    asked = fields_of(state.get("input"))
    kind, task = text_or(asked.get("subagent_type")) or None, text_or(asked.get("prompt"))
    report = content.output_of(result.told) or ""
    return hook.own(
        done,
        hook.make(Subagent, agent_id=result.agent, agent_type=kind, state="finished", task=task, text=report),
    )


def _duration(state: Mapping[str, JSON]) -> Optional[int]:
    time = fields_of(state.get("time"))
    start, end = number(time.get("start")), number(time.get("end"))
    return end - start if start and end and end >= start else None


def permission(hook: Hook) -> Batches:
    asked = _properties(hook)
    pattern = asked.get("pattern", asked.get("patterns"))
    lines = pattern if isinstance(pattern, list) else [pattern]
    command = text_or(fields_of(asked.get("metadata")).get("command")) or "\n".join(map(text_or, lines))
    text = text_or(asked.get("title")) or text_or(asked.get("permission")) or text_or(asked.get("type"))
    return hook.own(hook.make(Attention, what="permission", text=text, command=command or None))


def question(hook: Hook) -> Batches:
    asked = _properties(hook).get("questions")
    texts = (text_or(fields_of(one).get("question")) for one in (asked if isinstance(asked, list) else ()))
    return hook.own(hook.make(Attention, what="question", text="\n".join(filter(None, texts))))


def fallback(hook: Hook) -> Batches:
    """The bus tells of much that is no part of a session."""
    properties = _properties(hook)
    return h.note(_plain(hook, **properties)) if first(hook.payload, "session") and properties else ()


EVENTS: Mapping[str, Handler] = {
    "session.created": session_created,
    "session.idle": session_idle,
    "session.error": session_error,
    "session.deleted": session_deleted,
    "session.compacted": compacted,
    "experimental.session.compacting": h.compacting,
    "chat.message": chat_message,
    "message.part.updated": part_updated,
    "tool.execute.before": tool_starts,
    "tool.execute.after": tool_done,
    "permission.updated": permission,
    "permission.asked": permission,
    "question.asked": question,
    **dict.fromkeys(
        (
            "session.updated", "session.status", "session.diff", "message.updated", "message.removed",
            "message.part.delta", "message.part.removed", "permission.replied", "question.replied", "todo.updated",
            "file.edited", "file.watcher.updated", "command.executed", "experimental.chat.system.transform",
            "experimental.chat.messages.transform", "experimental.text.complete", "chat.params", "chat.headers",
        ),
        h.drop,
    ),
}  # fmt: skip


def answer(event: str, context: Optional[str]) -> bytes:
    """Our plugin puts it before each request of the session."""
    taken = context and event == "experimental.chat.system.transform"
    return json.dumps({"context": context}).encode() if taken else b""
