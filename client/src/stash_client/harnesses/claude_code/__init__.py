"""Claude Code."""

from stash_client.harnesses.base import Harness
from stash_client.harnesses.claude_code.hooks import EVENTS, answer
from stash_client.harnesses.claude_code.transcript import ClaudeReader
from stash_client.harnesses.generic import by_name

CLAUDE_CODE = Harness(
    name="claude-code",
    label="Claude Code",
    events=EVENTS,
    fallback=by_name,
    reader=ClaudeReader,
    tools={"Task": "agent", "Agent": "agent", "Skill": "other"},
    resume=("claude", "--resume", "{session}"),
    ends=True,
    result_events=frozenset({"PostToolUse", "PostToolUseFailure"}),
    injects=frozenset({"SessionStart"}),
    answer=answer,
)
