"""Gemini CLI."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.gemini_cli.hooks import EVENTS, answer
from stash_client.harnesses.gemini_cli.transcript import GeminiReader, whole_file
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSON_FILE, JSONL, Source, folder_of, read_file, stem
from stash_client.harnesses.transcripts import Transcript

_CHATS = "~/.gemini/tmp/*/chats"


def _session(path: str) -> Iterator[Transcript]:
    yield read_file(GEMINI_CLI, path)


def _subagent(path: str) -> Iterator[Transcript]:
    yield read_file(GEMINI_CLI, path, f"{folder_of(path)}/{stem(path)}")


def _legacy(path: str) -> Iterator[Transcript]:
    yield Transcript(GeminiReader(GEMINI_CLI), whole_file(path))


GEMINI_CLI = Harness(
    name="gemini-cli",
    label="Gemini CLI",
    events=EVENTS,
    fallback=by_name,
    reader=GeminiReader,
    tools={"list_background_processes": "shell", "save_memory": "other", "write_todos": "other"},
    resume=("gemini", "--resume", "{session}"),
    ends=True,
    result_events=frozenset({"AfterTool"}),
    injects=frozenset({"SessionStart"}),
    answer=answer,
    sources=(
        Source(f"{_CHATS}/session-*.jsonl", JSONL, _session),
        Source(f"{_CHATS}/*/*.jsonl", JSONL, _subagent),
        Source(f"{_CHATS}/session-*.json", JSON_FILE, _legacy),
    ),
)
