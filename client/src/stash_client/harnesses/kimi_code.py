"""Kimi Code."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from stash_client.events import JSON, Compaction, Note
from stash_client.harnesses import answers, claude_like, content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, first, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.messages import MessageReader
from stash_client.harnesses.sources import JSONL, Source, folder_of, lines_of, object_in
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript


def agents_named(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """Subagents have a name for their type, and a response."""
    if event not in ("SubagentStart", "SubagentStop"):
        return payload
    rest = {key: value for key, value in payload.items() if key not in ("agent_name", "response")}
    return {**rest, "agent_type": payload.get("agent_name"), "last_assistant_message": payload.get("response")}


class KimiReader(MessageReader):
    """``wire.jsonl``: what was added to the context, one part at a time. The session's id is that of its folder."""

    def record(self, record: Mapping[str, JSON]) -> None:
        kind = text_or(record.get("type"))
        self.at = content.moment(record.get("time")) or self.at
        self.enter(self.given or UNKNOWN_SESSION)
        if kind == "context.append_message":
            self._message(fields_of(record.get("message")))
        elif kind == "context.append_loop_event":
            self._step(fields_of(record.get("event")))
        elif kind == "context.apply_compaction":
            self.emit(Compaction, text=text_or(record.get("summary")))
        elif kind in ("metadata", "config.update", "turn.begin", "turn.end", "usage.record"):
            self.ignored[kind] += 1
        else:
            self.unknown(kind or "record", record)

    def _message(self, message: Mapping[str, JSON]) -> None:
        origin = text_or(fields_of(message.get("origin")).get("kind"))
        if origin not in ("", "user"):
            self.emit(Note, name=origin, text=content.text_of(message.get("content")))
        else:
            self.message(text_or(message.get("role")), message)

    def _step(self, event: Mapping[str, JSON]) -> None:
        kind = text_or(event.get("type"))
        if kind == "content.part":
            self.block(0, fields_of(event.get("part")), None)
        elif kind == "tool.call":
            self.called(identifier(first(event, "call")), text_or(event.get("name")), event.get("args"))
        elif kind == "tool.result":
            told = fields_of(event.get("result"))
            self.result({"call_id": first(event, "call"), "content": told or event.get("result"), **_error(told)}, 0)
        elif kind in ("step.begin", "step.end"):
            self.ignored[kind] += 1
        else:
            self.unknown(kind or "event", event)


def _error(told: Mapping[str, JSON]) -> Mapping[str, JSON]:
    return {"isError": told.get("isError") is True or told.get("is_error") is True}


def _read(path: str) -> Iterator[Transcript]:
    """``<session>/agents/<agent>/wire.jsonl``; what the session is about stands in its folder."""
    session, agent = folder_of(path, 3), folder_of(path)
    reader = KimiReader(KIMI_CODE, session if agent == "main" else f"{session}/{agent}")
    state = object_in(os.path.join(os.path.dirname(path), "..", "..", "state.json"))
    title = text_or(state.get("title")) if agent == "main" else ""
    reader.enter(reader.given or UNKNOWN_SESSION, cwd=text_or(state.get("workDir")), title=title)
    yield Transcript(reader, lines_of(path))


KIMI_CODE = Harness(
    name="kimi-code",
    label="Kimi Code",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "PostToolUseFailure", "SubagentStart", "SubagentStop", "Notification",
        PreCompact=h.compacted,
    ),
    fallback=by_name,
    reader=KimiReader,
    resume=("kimi", "--session", "{session}"),
    result_events=frozenset({"PostToolUse", "PostToolUseFailure"}),
    injects=frozenset({"UserPromptSubmit"}),  # what its start prints is thrown away
    answer=answers.text_after("UserPromptSubmit"),
    flat=agents_named,
    sources=(
        Source("~/.kimi-code/sessions/*/*/agents/*/wire.jsonl", JSONL, _read),
    ),
)  # fmt: skip
