"""OpenClaw."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.openclaw.files import session_file
from stash_client.harnesses.openclaw.hooks import EVENTS, agent_of, answer, fallback, flat
from stash_client.harnesses.openclaw.lookup import STORE, with_sessions
from stash_client.harnesses.openclaw.transcript import OpenClawReader
from stash_client.harnesses.sources import JSONL, SQLITE, Source
from stash_client.harnesses.transcripts import Transcript


def _store(path: str) -> Iterator[Transcript]:
    from stash_client.harnesses.openclaw.database import read_database  # hooks must start fast: no sqlite3 for them

    return read_database(OPENCLAW, path)


def _file(path: str) -> Iterator[Transcript]:
    yield session_file(OPENCLAW, path)


OPENCLAW = Harness(
    name="openclaw",
    label="OpenClaw",
    events=EVENTS,
    fallback=fallback,
    reader=OpenClawReader,
    tools={"browser": "web", "memory_search": "search", "memory_get": "read"},
    ends=True,
    result_events=frozenset({"after_tool_call"}),
    injects=frozenset({"before_prompt_build"}),
    answer=answer,
    agent_of=agent_of,
    sources=(
        Source(STORE, SQLITE, _store),
        Source("${OPENCLAW_STATE_DIR:-~/.openclaw}/agents/*/sessions/*.jsonl", JSONL, _file),
    ),
    flat=flat,
    supplement=with_sessions,
)
