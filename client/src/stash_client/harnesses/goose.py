"""Goose: a plugin's hooks, told without what a tool said; its edits and commands are told twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stash_client.events import JSON
from stash_client.harnesses import claude_like
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.goose_sessions import GooseReader, read_database
from stash_client.harnesses.sources import JSONL, SQLITE, Source, read_file, stem
from stash_client.harnesses.transcripts import Transcript

_FAMILIES = {
    "shell": "shell", "text_editor": "edit", "edit": "edit", "write": "edit", "read": "read", "tree": "search",
    "analyze": "search", "image_processor": "read", "read_image": "read",
}  # fmt: skip


def prompt_named(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """What a matcher is compared with repeats another field; the message of a prompt is the prompt."""
    rest = {key: value for key, value in payload.items() if key != "matcher_context"}
    if event == "UserPromptSubmit" and "prompt" not in rest:
        rest["prompt"] = rest.pop("message", None)
    return rest


def _store(path: str) -> Iterator[Transcript]:
    return read_database(GOOSE, path)


def _file(path: str) -> Iterator[Transcript]:
    yield read_file(GOOSE, path, stem(path))


_SHARE = "${XDG_DATA_HOME:-~/.local/share}/goose/sessions"
_BLOCK = "${APPDATA:-~/AppData/Roaming}/Block/goose/data/sessions"

GOOSE = Harness(
    name="goose",
    label="Goose",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "PostToolUseFailure",
        PreToolUseResult=h.drop, BeforeReadFile=h.drop, AfterFileEdit=h.drop, BeforeShellExecution=h.drop,
        AfterShellExecution=h.drop,
    ),
    fallback=by_name,
    reader=GooseReader,
    tools={f"developer__{name}": family for name, family in _FAMILIES.items()},
    resume=("goose", "session", "--resume", "--session-id", "{session}"),
    result_events=frozenset({"PostToolUse", "PostToolUseFailure"}),
    flat=prompt_named,
    sources=(
        Source(f"{_SHARE}/sessions.db", SQLITE, _store, verified=False),
        Source(f"{_SHARE}/*.jsonl", JSONL, _file, verified=False),
        Source(f"{_BLOCK}/sessions.db", SQLITE, _store, verified=False),
    ),
)  # fmt: skip
