"""Command Code: four hooks, none for prompts; its session files have the rest."""

from __future__ import annotations

from stash_client.harnesses import claude_like
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.entries import EntryReader
from stash_client.harnesses.generic import by_name

COMMAND_CODE = Harness(
    name="command-code",
    label="Command Code",
    events=claude_like.events("SessionStart", "PreToolUse", "Stop", PostToolUse=h.tool_told),
    fallback=by_name,
    reader=EntryReader,
    resume=("command-code", "--session", "{session}"),
    ends=False,
    result_events=frozenset({"PostToolUse"}),
    answer=claude_like.context_after("SessionStart"),
)
