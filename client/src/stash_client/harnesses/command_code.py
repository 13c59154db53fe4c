"""Command Code: four hooks, none for prompts; its session files have the rest."""

from __future__ import annotations

from collections.abc import Iterator

from stash_client.harnesses import answers, claude_like
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.entries import EntryReader
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSONL, Source, read_file
from stash_client.harnesses.transcripts import Transcript


def _read(path: str) -> Iterator[Transcript]:
    yield read_file(COMMAND_CODE, path)


COMMAND_CODE = Harness(
    name="command-code",
    label="Command Code",
    events=claude_like.events("SessionStart", "PreToolUse", "Stop", PostToolUse=h.tool_told),
    fallback=by_name,
    reader=EntryReader,
    resume=("command-code", "--session", "{session}"),
    ends=False,
    result_events=frozenset({"PostToolUse"}),
    answer=answers.context_after("SessionStart"),
    injects=frozenset({"SessionStart"}),
    sources=(Source("~/.commandcode/projects/*/*.jsonl", JSONL, _read),),
)
