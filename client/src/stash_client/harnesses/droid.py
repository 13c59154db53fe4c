"""Droid, Factory's agent: camel case around Claude Code's tool fields, no ids for calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stash_client.events import JSON, ToolCall
from stash_client.harnesses import claude_like, diffs
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Batches, Harness, Hook
from stash_client.harnesses.content import text_or
from stash_client.harnesses.entries import EntryReader
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.transcripts import Call


def tool_done(hook: Hook) -> Batches:
    result = hook.get("output")
    return hook.own(_inside(h.finished(hook, result, ok=h.verdict(result)), hook.info.cwd))


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


DROID = Harness(
    name="droid",
    label="Droid",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "Notification", "SubagentStop", PreCompact=h.compacted, PostToolUse=tool_done
    ),
    fallback=by_name,
    reader=DroidReader,
    resume=("droid", "--resume", "{session}"),
    result_events=frozenset({"PostToolUse"}),
    answer=claude_like.context_after("SessionStart", "UserPromptSubmit"),
)
