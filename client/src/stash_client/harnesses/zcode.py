"""ZCode: Claude Code's names; of tools it tells the failures only."""

from __future__ import annotations

from stash_client.harnesses import answers, claude_like
from stash_client.harnesses.base import Harness
from stash_client.harnesses.generic import GenericReader, by_name

ZCODE = Harness(
    name="zcode",
    label="ZCode",
    events=claude_like.events("SessionStart", "UserPromptSubmit", "PostToolUseFailure", "Stop"),
    fallback=by_name,
    reader=GenericReader,
    ends=False,
    result_events=frozenset({"PostToolUseFailure"}),
    answer=answers.context_after("SessionStart"),
    injects=frozenset({"SessionStart"}),
)
