"""OpenCode."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.opencode.hooks import EVENTS, agent_of, answer, fallback, flat
from stash_client.harnesses.opencode.lookup import STORE, with_store
from stash_client.harnesses.opencode.storage import session_files
from stash_client.harnesses.opencode.transcript import OpenCodeReader
from stash_client.harnesses.sources import JSON_FILE, SQLITE, Source
from stash_client.harnesses.transcripts import Transcript


def _store(path: str) -> Iterator[Transcript]:
    from stash_client.harnesses.opencode.database import read_database  # hooks must start fast: no sqlite3 for them

    return read_database(OPENCODE, path)


def _legacy(path: str) -> Iterator[Transcript]:
    yield Transcript(OpenCodeReader(OPENCODE), session_files(path))


OPENCODE = Harness(
    name="opencode",
    label="OpenCode",
    events=EVENTS,
    fallback=fallback,
    reader=OpenCodeReader,
    tools={"list": "search", "codesearch": "web", "lsp": "search", "skill": "read", "todowrite": "other"},
    resume=("opencode", "--session", "{session}"),
    ends=False,
    result_events=frozenset({"tool.execute.after"}),
    injects=frozenset({"experimental.chat.system.transform"}),
    answer=answer,
    agent_of=agent_of,
    sources=(
        Source(STORE, SQLITE, _store),
        Source("${XDG_DATA_HOME:-~/.local/share}/opencode/storage/session/*/ses_*.json", JSON_FILE, _legacy),
    ),
    flat=flat,
    supplement=with_store,
)
