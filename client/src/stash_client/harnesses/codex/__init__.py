"""Codex CLI."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.claude_code.hooks import answer
from stash_client.harnesses.codex.hooks import EVENTS
from stash_client.harnesses.codex.transcript import CodexReader
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSONL, Source, read_file
from stash_client.harnesses.transcripts import Transcript

_HOME = "${CODEX_HOME:-~/.codex}"


def _read(path: str) -> Iterator[Transcript]:
    yield read_file(CODEX, path)


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
    sources=(
        Source(f"{_HOME}/sessions/**/rollout-*.jsonl", JSONL, _read),
        Source(f"{_HOME}/archived_sessions/**/rollout-*.jsonl", JSONL, _read),
    ),
)
