"""Cline: its events are about tasks, and each has its fields in an object of its own name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from stash_client.events import JSON, Note, SessionStart
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Batches, Harness, Hook
from stash_client.harnesses.content import text_or
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.messages import MessageReader
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.sources import JSON_FILE, Source, folder_of
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript

_TASK = re.compile(r"\A\s*<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>\s*\Z", re.DOTALL)
_CONTEXT = ("<environment_details>", "[TASK RESUMPTION]", "# task_progress", "<explicit_instructions")
_METADATA = frozenset({"taskMetadata", "taskId", "ulid"})


def flat(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """The fields of the event and of its task beside those all events have."""
    own = event[:1].lower() + event[1:]
    inner = fields_of(payload.get(own))
    metadata = fields_of(inner.get("taskMetadata"))
    told = {key: value for part in (metadata, inner) for key, value in part.items() if key not in _METADATA}
    rest = {key: value for key, value in payload.items() if key not in (own, "timestamp")}
    made: dict[str, JSON] = {**told, **rest}
    if event == "PreCompact":
        made["context_tokens"] = made.pop("contextSize", None)
        made["trigger"] = made.pop("compactionStrategy", None)
    elif event == "TaskComplete":
        made["last_assistant_message"] = made.pop("result", None)
    elif event == "PostToolUse":
        made["tool_output"] = {"output": made.pop("result", None), "success": made.pop("success", None)}
    elif isinstance(made.get("prompt"), str):
        made["prompt"] = typed(made["prompt"])
    return made


def typed(text: str) -> str:
    """What a person wrote, out of the marks Cline puts around it."""
    match = _TASK.match(text)
    return match.group(2) if match else text


def resumed(hook: Hook) -> Batches:
    return hook.own(hook.make(SessionStart, source="resume", extra=hook.rest()))


def answer(event: str, context: Optional[str]) -> bytes:
    """Without JSON Cline blocks what it was about to do. What a task's start answers reaches the request after."""
    takes = context and event in ("TaskStart", "TaskResume")
    return json.dumps({"cancel": False, **({"contextModification": context} if takes else {})}).encode()


class ClineReader(MessageReader):
    """``api_conversation_history.json``, a message a record. No times; the session's id is that of its folder."""

    marks_failures = False

    def record(self, record: Mapping[str, JSON]) -> None:
        self.enter(self.given or UNKNOWN_SESSION)
        role = text_or(record.get("role"))
        if role in ("user", "assistant"):
            self.message(role, record)
        else:
            self.unknown(role or "record", record)

    def user_parts(self, blocks: Sequence[Mapping[str, JSON]], attached: Sequence[str], **fields: Any) -> None:
        """Beside what the person wrote stands what Cline tells of the editor."""
        words = []
        for i, block in enumerate(blocks):
            text = text_or(block.get("text"))
            if text.lstrip().startswith(_CONTEXT):
                self.emit(Note, f"context {i}", name="context", text=text.strip())
            else:
                words.append({**block, "text": typed(text)})
        super().user_parts(words, attached, **fields)


def read_history(path: str) -> Iterator[bytes]:
    """The messages of a history file as lines. The file is one list; what is none is counted as one line. OSError."""
    raw = Path(path).read_bytes()
    try:
        messages = decode(raw)
    except (Empty, Unreadable):
        messages = None
    if not isinstance(messages, list):
        yield raw
        return
    for message in messages:
        yield json.dumps(message).encode()


_TASKS = "globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json"


def _read(path: str) -> Iterator[Transcript]:
    yield Transcript(ClineReader(CLINE, folder_of(path)), read_history(path))


CLINE = Harness(
    name="cline",
    label="Cline",
    events={
        # The text of a new task comes as a prompt as well.
        "TaskStart": h.session_start,
        "TaskResume": resumed,
        "TaskCancel": h.interrupted,
        "TaskComplete": h.turn_end,
        "UserPromptSubmit": h.prompt,
        "PreToolUse": h.tool_starts,
        "PostToolUse": h.tool_done,
        "PreCompact": h.compacted,
    },
    fallback=by_name,
    tools={"new_rule": "edit", "list_code_definition_names": "search", "use_mcp_tool": "mcp"},
    reader=ClineReader,
    ends=False,
    result_events=frozenset({"PostToolUse"}),
    answer=answer,
    injects=frozenset({"TaskStart", "TaskResume"}),
    flat=flat,
    sources=(
        Source(f"${{XDG_CONFIG_HOME:-~/.config}}/Code/User/{_TASKS}", JSON_FILE, _read, verified=False),
        Source(f"~/Library/Application Support/Code/User/{_TASKS}", JSON_FILE, _read, verified=False),
        Source(f"${{APPDATA:-~/AppData/Roaming}}/Code/User/{_TASKS}", JSON_FILE, _read, verified=False),
        Source("~/.cline/data/tasks/*/api_conversation_history.json", JSON_FILE, _read, verified=False),
    ),
)
