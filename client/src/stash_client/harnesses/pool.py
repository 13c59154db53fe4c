"""Pool, Poolside's agent: Claude Code's names and spelling."""

from __future__ import annotations

from stash_client.harnesses import claude_like
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.generic import GenericReader, by_name

POOL = Harness(
    name="pool",
    label="Pool",
    events=claude_like.events(*claude_like.TURN, PostToolUse=h.tool_told),
    fallback=by_name,
    reader=GenericReader,
    ends=False,
    result_events=frozenset({"PostToolUse"}),
)
