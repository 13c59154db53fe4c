"""Antigravity: no event name in the body, no prompt, and a tool call whose name and end come in two events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Optional

from stash_client.events import JSON, Activity, SessionStart, TurnEnd
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Harness, Hook, identifier
from stash_client.harnesses.generic import GenericReader, by_name
from stash_client.harnesses.sources import JSONL, Source, folder_of, read_file
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript

_USUAL = {"CommandLine": "command", "Cwd": "cwd", "TargetFile": "file_path", "AbsolutePath": "file_path",
          "Query": "query", "Url": "url"}  # fmt: skip


def call_named(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """The call's parts under their usual names; its step is its id, in both of its events."""
    call = fields_of(payload.get("toolCall"))
    rest = {key: value for key, value in payload.items() if key not in ("toolCall", "stepIdx")}
    given = {_USUAL.get(key, key): value for key, value in fields_of(call.get("args")).items()}
    step = identifier(payload.get("stepIdx"))
    made = {**rest, "call_id": f"step {step}" if step else None}
    return {**made, "tool_name": call.get("name"), "tool_input": given} if call else made


def is_first(payload: Mapping[str, JSON]) -> bool:
    """Of the calls of the model: before any step."""
    steps, count = payload.get("initialNumSteps"), payload.get("invocationNum")
    return steps == 0 or (steps is None and count == 0)


def invoked(hook: Hook) -> Batches:
    """Comes before every call of the model; the first is the start of the conversation."""
    if is_first(hook.payload):
        return hook.own(hook.make(SessionStart, source="startup", model=hook.info.model))
    return hook.own(hook.make(Activity, name=hook.event, text="Thinking"))


def tool_called(hook: Hook) -> Batches:
    """A call is told with its start: its end does not say what it was, and completes this."""
    return hook.own(h.finished(hook, None, ok=None))


def tool_ended(hook: Hook) -> Batches:
    error = hook.text("error")
    return hook.own(h.finished(hook, error or None, ok=not error)) if hook.text("call") else ()


def stopped(hook: Hook) -> Batches:
    why = hook.text("terminationReason")
    upper = why.upper()
    reason = "interrupted" if any(word in upper for word in ("CANCEL", "INTERRUPT", "ABORT")) else "completed"
    if "ERROR" in upper or "FAIL" in upper:
        reason = "error"
    return hook.own(hook.make(TurnEnd, reason=reason, text=why if reason == "error" else "", extra=hook.rest()))


def answer(event: str, context: Optional[str]) -> bytes:
    if not context or event != "PreInvocation":
        return b""
    return json.dumps({"injectSteps": [{"ephemeralMessage": context}]}).encode()


def _read(path: str) -> Iterator[Transcript]:
    yield read_file(ANTIGRAVITY, path, folder_of(path, 3))


ANTIGRAVITY = Harness(
    name="antigravity",
    label="Antigravity",
    events={
        "SessionStart": h.session_start,
        "PreInvocation": invoked,
        "PostInvocation": h.drop,
        "PreToolUse": tool_called,
        "PostToolUse": tool_ended,
        "Stop": stopped,
    },
    fallback=by_name,
    reader=GenericReader,
    tools={"view_file": "read", "replace_file_content": "edit", "multi_replace_file_content": "edit"},
    resume=("agy", "--conversation", "{session}"),
    ends=False,
    result_events=frozenset({"PreToolUse", "PostToolUse"}),
    injects=frozenset({"PreInvocation"}),
    begins=is_first,
    answer=answer,
    flat=call_named,
    sources=(
        Source(
            "~/.gemini/antigravity-cli/brain/*/.system_generated/logs/transcript.jsonl", JSONL, _read, verified=False
        ),
    ),
)
