"""Cursor's hook events.

Every tool call is told twice, by the general tool events and by those for shell, files and MCP. The general ones have
the call's id, the others are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Handler, first, identifier
from stash_client.harnesses.content import text_or

EVENTS: Mapping[str, Handler] = {
    "sessionStart": h.session_start,
    "sessionEnd": h.session_end,
    "beforeSubmitPrompt": h.prompt,
    "preToolUse": h.tool_starts,
    "postToolUse": h.tool_done,
    "postToolUseFailure": h.tool_failed,
    "afterAgentResponse": h.reply,
    "afterAgentThought": h.thinking,
    "stop": h.turn_end,
    "preCompact": h.compacted,
    "subagentStart": h.subagent_starts,
    "subagentStop": h.subagent_stops,
    **dict.fromkeys(
        (
            "beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution",
            "beforeReadFile", "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit",
        ),
        h.drop,
    ),
}  # fmt: skip


def agent_of(payload: Mapping[str, JSON]) -> tuple[str, str]:
    """(parent, agent): a subagent talks under an id of its own, its end names only its file."""
    own = identifier(payload.get("conversation_id") or payload.get("session_id"))
    parent = identifier(first(payload, "parent")) or own
    agent = identifier(payload.get("subagent_id")) or (own if own != parent else "")
    if not agent and payload.get("hook_event_name") == "subagentStop":
        path = text_or(payload.get("agent_transcript_path")).replace("\\", "/")
        agent = identifier(path.rpartition("/")[2].partition(".")[0])
    return parent, agent


def answer(event: str, context: Optional[str]) -> bytes:
    """Cursor wants JSON whatever happens; only a session's start takes context."""
    return json.dumps({"additional_context": context} if context and event == "sessionStart" else {}).encode()
