"""Claude Code."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.claude_code.hooks import EVENTS, answer
from stash_client.harnesses.claude_code.transcript import ClaudeReader
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSONL, Source, read_file, stem
from stash_client.harnesses.transcripts import Transcript

_HOME = "${CLAUDE_CONFIG_DIR:-~/.claude}"


def _read(path: str) -> Iterator[Transcript]:
    """A file is named after its session; a subagent's records name the session that asked for it."""
    name = stem(path)
    yield read_file(CLAUDE_CODE, path, None if name.startswith("agent-") else name)


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
    sources=(
        Source(f"{_HOME}/projects/*/*.jsonl", JSONL, _read),
        Source(f"{_HOME}/projects/*/*/subagents/**/agent-*.jsonl", JSONL, _read),
    ),
)
