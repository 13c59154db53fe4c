"""Pi: events inside its process, handed on by an extension that adds ``sessionId`` and ``cwd``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Optional

from stash_client.events import JSON, Event, Reply, Thinking, ToolCall, TurnEnd, Usage
from stash_client.harnesses import content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Handler, Harness, Hook
from stash_client.harnesses.content import text_or
from stash_client.harnesses.entries import EntryReader, message_id_of
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.messages import usage_of
from stash_client.harnesses.sources import JSONL, Source, read_file
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript

_OTHERS = ("reload",)


def shaped(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """A tool's content is its output, a start's reason its source, a compaction's entry its summary."""
    made = dict(payload)
    if event in ("tool_result", "tool_execution_end"):
        made["tool_output"] = made.pop("content", None) or made.pop("result", None)
    elif event in ("session_start", "session_switch"):
        made["source"] = made.pop("reason", None)
    elif event == "before_agent_start":
        made["source"] = made.pop("messageType", None)
        made.pop("systemPrompt", None)
        made["attachments"] = made.pop("images", None)
    elif event == "session_compact":
        entry = fields_of(made.pop("compactionEntry", None))
        told = {"summary": entry.get("summary"), "context_tokens": entry.get("tokensBefore")}
        made = {"sessionId": payload.get("sessionId"), "session_id": payload.get("session_id"),
                "cwd": payload.get("cwd"), "trigger": payload.get("reason"), **told}  # fmt: skip
    return made


def tool_done(hook: Hook) -> Batches:
    """Told twice with one id: with its input, then with its duration."""
    text, code = content.exit_line(content.output_of(hook.get("output")) or "")
    failed = hook.payload.get("isError") is True or bool(code)
    call: ToolCall = h.finished(hook, text, ok=not failed)
    extra = {key: value for key, value in call.extra.items() if key not in ("isError", "details")}
    return hook.own(replace(call, exit_code=code, extra=extra))


def message_end(hook: Hook) -> Batches:
    """Only what the model says: prompts and results have events of their own."""
    message = fields_of(hook.payload.get("message"))
    return hook.own(*said(hook, message)) if message.get("role") == "assistant" else ()


def said(hook: Hook, message: Mapping[str, JSON]) -> list[Event]:
    known = {"message_id": message_id_of(message)}
    model = text_or(message.get("model")) or None
    usage: Optional[Usage] = usage_of(fields_of(message.get("usage")))
    told: list[Event] = []
    for block in content.blocks_of(message.get("content")):
        text = text_or(block.get("text"))
        if block.get("type") == "thinking" and text_or(block.get("thinking")).strip():
            told.append(hook.make(Thinking, text=text_or(block.get("thinking")), **known))
        elif block.get("type") == "text" and text.strip():
            told.append(hook.make(Reply, text=text, model=model, usage=usage, **known))
            usage = None
    return told


def settled(hook: Hook) -> Batches:
    aborted = hook.payload.get("aborted") is True
    return hook.own(hook.make(TurnEnd, reason="interrupted" if aborted else "completed", extra=hook.rest("aborted")))


def shut_down(hook: Hook) -> Batches:
    """Also sent when extensions are loaded again: then the session goes on."""
    return () if hook.text("reason") in _OTHERS else h.session_end(hook)


def answer(event: str, context: Optional[str]) -> bytes:
    """What the extension returns from before_agent_start."""
    if not context or event != "before_agent_start":
        return b""
    return json.dumps({"message": {"customType": "stash", "content": context, "display": False}}).encode()


class PiReader(EntryReader):
    ends_with_code = True


EVENTS: Mapping[str, Handler] = {
    "session_start": h.session_start,
    "session_shutdown": shut_down,
    "before_agent_start": h.prompt,
    "tool_call": h.tool_starts,
    "tool_result": tool_done,
    "tool_execution_end": tool_done,
    "message_end": message_end,
    "session_compact": h.compacted,
    "agent_settled": settled,
    **dict.fromkeys(("input", "agent_start", "agent_end", "turn_start", "turn_end", "tool_execution_start"), h.drop),
}


def _read(path: str) -> Iterator[Transcript]:
    yield read_file(PI, path)


PI = Harness(
    name="pi",
    label="Pi",
    events=EVENTS,
    fallback=by_name,
    reader=PiReader,
    tools={"ls": "search", "find": "search"},
    resume=("pi", "--session", "{session}"),
    result_events=frozenset({"tool_result", "tool_execution_end"}),
    injects=frozenset({"before_agent_start"}),
    answer=answer,
    flat=shaped,
    sources=(Source("${PI_CODING_AGENT_DIR:-~/.pi/agent}/sessions/*/*.jsonl", JSONL, _read),),
)
