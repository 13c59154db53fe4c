"""Grok Build: camel case, no ids for calls in its hooks, no times in its session files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from stash_client.events import JSON
from stash_client.harnesses import answers, claude_like, content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.messages import MessageReader
from stash_client.harnesses.sources import JSONL, Source, folder_of, lines_of, object_in
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript


class GrokReader(MessageReader):
    """``chat_history.jsonl``, rewritten in place when a person goes back. Its folder is named by the session."""

    marks_failures = False

    def record(self, record: Mapping[str, JSON]) -> None:
        kind, text = text_or(record.get("type")), content.text_of(record.get("content"))
        self.at = content.moment(record.get("timestamp"))
        self.enter(self.given or UNKNOWN_SESSION)
        if kind == "user":
            self.message("user", record)
        elif kind == "reasoning":
            self.thought(text)
        elif kind == "assistant":
            self.reply(text)
            self._calls(record.get("tool_calls"))
        elif kind == "tool_result":
            self.result(record, 0)
        elif kind == "backend_tool_call":
            self._done_elsewhere(record, text)
        elif kind == "system":
            self.ignored[kind] += 1
        else:
            self.unknown(kind or "record", record)

    def _calls(self, calls: JSON) -> None:
        for i, call in enumerate(calls if isinstance(calls, list) else ()):
            named = fields_of(call)
            function = fields_of(named.get("function")) or named
            self.called(identifier(named.get("id")), text_or(function.get("name")), function.get("arguments"), f"c{i}")

    def _done_elsewhere(self, record: Mapping[str, JSON], asked: str) -> None:
        """A search on xAI's side: no result is told."""
        self.called("", text_or(record.get("name")), {"query": asked}, "backend")
        self.unanswered(f"{self.key}:backend")


def _read(path: str) -> Iterator[Transcript]:
    """``<encoded working directory>/<session>/chat_history.jsonl``, a summary beside it."""
    from urllib.parse import unquote  # hooks must start fast

    reader = GrokReader(GROK, folder_of(path))
    summary = object_in(os.path.join(os.path.dirname(path), "summary.json"))
    cwd = text_or(fields_of(summary.get("info")).get("cwd")) or unquote(folder_of(path, 2))
    reader.enter(reader.given or UNKNOWN_SESSION, cwd=cwd, title=text_or(summary.get("session_summary")))
    yield Transcript(reader, lines_of(path))


GROK = Harness(
    name="grok",
    label="Grok Build",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "PostToolUseFailure", "SubagentStart", "SubagentStop", "Notification",
        PreCompact=h.compacted,
    ),
    fallback=by_name,
    reader=GrokReader,
    resume=("grok", "--resume", "{session}"),
    result_events=frozenset({"PostToolUse", "PostToolUseFailure"}),
    # No ``injects``: only the end of a tool takes context, and no tool is to wait for an interpreter.
    answer=answers.context_after("PostToolUse"),
    sources=(
        Source("~/.grok/sessions/*/*/chat_history.jsonl", JSONL, _read),
    ),
)  # fmt: skip
