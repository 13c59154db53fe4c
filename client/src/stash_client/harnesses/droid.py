"""Droid, Factory's agent: camel case around Claude Code's tool fields, no ids for calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from stash_client.events import JSON, ToolCall
from stash_client.harnesses import answers, claude_like, diffs
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Batches, Harness, Hook
from stash_client.harnesses.content import text_or
from stash_client.harnesses.entries import EntryReader
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSONL, Source, lines_of, object_in, stem
from stash_client.harnesses.transcripts import Call, Transcript


def tool_done(hook: Hook) -> Batches:
    """What an edit answers repeats its path and says that it went well."""
    result = hook.get("output")
    call = h.finished(hook, result, ok=h.verdict(result))
    if call.family == "edit" and isinstance(result, Mapping):
        call = replace(call, output=None)
    return hook.own(_inside(call, hook.info.cwd))


def _inside(call: ToolCall, cwd: str | None) -> ToolCall:
    """Only its main argument tells a call again: hooks and session file must name a path alike."""
    return replace(call, paths=tuple(diffs.short_path(path, cwd) for path in call.paths))


class DroidReader(EntryReader):
    def tool_call(self, call: Call, call_id: str | None, result: JSON, **fields: Any) -> ToolCall:
        return _inside(super().tool_call(call, call_id, result, **fields), self.sessions[call.native_id].cwd)

    def settings(self, sidecar: Mapping[str, JSON]) -> None:
        """``<session>.settings.json`` tells the model. Its tokens are of the whole session so far and stay out:
        given to one reply they would be counted again each time the session has grown."""
        self.enter(self.current or self.given or UNKNOWN_SESSION, model=text_or(sidecar.get("model")))


def _read(path: str) -> Iterator[Transcript]:
    reader = DroidReader(DROID, stem(path))
    reader.settings(object_in(path[: -len(".jsonl")] + ".settings.json"))
    yield Transcript(reader, lines_of(path))


DROID = Harness(
    name="droid",
    label="Droid",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "Notification", "SubagentStop", PreCompact=h.compacted, PostToolUse=tool_done
    ),
    fallback=by_name,
    reader=DroidReader,
    tools={"FetchUrl": "web", "ApplyPatch": "edit"},
    resume=("droid", "--resume", "{session}"),
    result_events=frozenset({"PostToolUse"}),
    answer=answers.context_after("SessionStart", "UserPromptSubmit"),
    injects=frozenset({"SessionStart"}),
    sources=(
        Source("~/.factory/sessions/**/*.jsonl", JSONL, _read),
        Source("~/.factory/projects/**/*.jsonl", JSONL, _read, verified=False),
    ),
)
