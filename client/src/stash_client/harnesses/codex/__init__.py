"""Codex CLI."""

from stash_client.harnesses.base import Harness
from stash_client.harnesses.claude_code.hooks import answer
from stash_client.harnesses.codex.hooks import EVENTS
from stash_client.harnesses.codex.transcript import CodexReader
from stash_client.harnesses.generic import by_name

CODEX = Harness(
    name="codex",
    label="Codex",
    events=EVENTS,
    fallback=by_name,
    reader=CodexReader,
    tools={"update_plan": "other", "view_image": "read"},
    resume=("codex", "resume", "{session}"),
    ends=True,
    result_events=frozenset({"PostToolUse"}),
    injects=frozenset({"SessionStart"}),
    answer=answer,
)
