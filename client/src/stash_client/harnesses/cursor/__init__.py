"""Cursor, the editor's agent and the one in the terminal.

Its transcripts lie per project; one database per person has the same conversations with times and results.
"""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.cursor.hooks import EVENTS, agent_of, answer
from stash_client.harnesses.cursor.transcript import CursorReader
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSONL, SQLITE, Source, folder_of, read_file, stem
from stash_client.harnesses.transcripts import Transcript

_TRANSCRIPTS = "~/.cursor/projects/*/agent-transcripts"
_STORE = "Cursor/User/globalStorage/state.vscdb"


def _session(path: str) -> Iterator[Transcript]:
    yield read_file(CURSOR, path, stem(path))


def _subagent(path: str) -> Iterator[Transcript]:
    yield read_file(CURSOR, path, f"{folder_of(path, 2)}/{stem(path)}")


def _store(path: str) -> Iterator[Transcript]:
    from stash_client.harnesses.cursor.database import read_database  # hooks must start fast: no sqlite3 for them

    return read_database(CURSOR, path)


CURSOR = Harness(
    name="cursor",
    label="Cursor",
    events=EVENTS,
    fallback=by_name,
    reader=CursorReader,
    tools={"Task": "agent", "Shell": "shell", "StrReplace": "edit", "Delete": "edit"},
    resume=("cursor-agent", "--resume", "{session}"),
    ends=True,
    result_events=frozenset({"postToolUse", "postToolUseFailure"}),
    injects=frozenset({"sessionStart"}),
    answer=answer,
    agent_of=agent_of,
    sources=(
        Source(f"{_TRANSCRIPTS}/*/*.jsonl", JSONL, _session),
        Source(f"{_TRANSCRIPTS}/*/subagents/*.jsonl", JSONL, _subagent),
        Source(f"{_TRANSCRIPTS}/*.txt", JSONL, _session),
        Source(f"${{XDG_CONFIG_HOME:-~/.config}}/{_STORE}", SQLITE, _store),
        Source(f"~/Library/Application Support/{_STORE}", SQLITE, _store),
        Source(f"${{APPDATA:-~/AppData/Roaming}}/{_STORE}", SQLITE, _store),
    ),
)
