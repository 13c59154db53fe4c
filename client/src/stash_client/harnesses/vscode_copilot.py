"""GitHub Copilot in VS Code: dated payloads of mixed case; it loads Claude Code's and Copilot CLI's hooks, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stash_client.events import JSON
from stash_client.harnesses import answers, claude_like
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.copilot_cli.transcript import CopilotReader
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSONL, Source, read_file, stem
from stash_client.harnesses.transcripts import Transcript


def new_is_startup(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    return {**payload, "source": "startup"} if payload.get("source") == "new" else payload


_FILES = "Code/User/workspaceStorage/*/GitHub.copilot-chat/transcripts/*.jsonl"


def _read(path: str) -> Iterator[Transcript]:
    """The records are those of Copilot CLI."""
    yield read_file(VSCODE_COPILOT, path, stem(path))


VSCODE_COPILOT = Harness(
    name="vscode-copilot",
    label="VS Code Copilot",
    events=claude_like.events(
        *claude_like.TURN, "SubagentStart", "SubagentStop", PreCompact=h.compacted, PostToolUse=h.tool_told
    ),
    fallback=by_name,
    reader=CopilotReader,
    tools={
        **dict.fromkeys(("editFiles", "replace_string_in_file", "multi_replace_string_in_file",
                         "insert_edit_into_file", "edit_notebook_file", "applyPatch"), "edit"),
        "readFile": "read", "semantic_search": "search", "textSearch": "search", "fileSearch": "search",
        "fetch_webpage": "web", "runSubagent": "agent", "runInTerminal": "shell", "runCommands": "shell",
        "get_terminal_output": "shell",
    },
    ends=False,
    result_events=frozenset({"PostToolUse"}),
    answer=answers.context_after("SessionStart", "SubagentStart", "PostToolUse"),
    injects=frozenset({"SessionStart"}),
    flat=new_is_startup,
    sources=(
        Source(f"${{XDG_CONFIG_HOME:-~/.config}}/{_FILES}", JSONL, _read, verified=False),
        Source(f"~/Library/Application Support/{_FILES}", JSONL, _read, verified=False),
        Source(f"${{APPDATA:-~/AppData/Roaming}}/{_FILES}", JSONL, _read, verified=False),
    ),
)  # fmt: skip
