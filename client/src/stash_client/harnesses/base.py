"""What a harness is, what a hook handler gets, what a transcript reader gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from stash_client.events import JSON, Batch, Event, SessionInfo
from stash_client.harnesses.content import compact, picture_note, small, text_or, without_data
from stash_client.harnesses.tools import COMMON, family_of

if TYPE_CHECKING:
    from stash_client.harnesses.sources import Source

Made = TypeVar("Made", bound=Event)
Batches = tuple[Batch, ...]
UNKNOWN_SESSION = "unknown"

ALIASES: Mapping[str, Sequence[str]] = {
    "session": ("session_id", "sessionId", "sessionID", "conversation_id", "conversationId", "trajectory_id", "taskId",
                "thread_id", "threadId"),
    "cwd": ("cwd", "current_dir", "working_dir", "directory", "workspacePaths", "workspace_roots", "workspaceRoots",
            "workspaceRoot", "workspaceDir"),
    "event": ("hook_event_name", "hookEventName", "hookName", "event", "agent_action_name", "type"),
    "turn": ("prompt_id", "turn_id", "generation_id", "execution_id", "promptId"),
    "model": ("model", "modelName"),
    "version": ("cursor_version", "clineVersion", "cli_version", "version"),
    "agent": ("agent_id", "agentId", "subagent_id"),
    "agent_type": ("agent_type", "agentType", "subagent_type", "subagentType"),
    "parent": ("parent_conversation_id", "parent_session_id", "parentSessionId"),
    "prompt": ("prompt", "submitted_prompt", "user_prompt", "userPrompt"),
    "tool": ("tool_name", "toolName", "tool"),
    "input": ("tool_input", "toolInput", "toolArgs", "tool_args", "args", "parameters", "params", "input"),
    "output": ("tool_response", "tool_output", "toolResponse", "toolResult", "tool_result", "toolOutput", "result_json",
               "result", "output"),
    "call": ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "callID", "call_id"),
    "error": ("error_message", "errorMessage", "error"),
    "duration": ("duration_ms", "durationMs", "executionTimeMs", "duration"),
    "reply": ("last_assistant_message", "lastAssistantMessage", "assistant_response", "prompt_response", "text"),
    "source": ("source",),
    "reason": ("reason",),
    "trigger": ("trigger",),
    "summary": ("compact_summary", "compactSummary", "summary"),
    "message": ("message",),
    "message_id": ("message_id", "messageId", "messageID"),
    "title": ("session_title", "sessionTitle"),
    "task": ("task", "prompt"),
}  # fmt: skip
# Said by SessionInfo, by the request's key, or of no use to a reader.
ENVELOPE = frozenset((
    "transcript_path", "transcriptPath", "permission_mode", "permissionMode", "effort", "user_email", "userEmail",
    "userId", "timestamp", "workspace_roots", "workspaceRoots", "workspacePaths", "agent_transcript_path",
    "stop_hook_active", "stopHookActive", "hook_event_name", "workspaceRoot", "workspaceDir",
))  # fmt: skip


@dataclass(frozen=True)
class Hook:
    """One hook payload. ``info`` is the session it belongs to, ``parent`` the one above it if that is a subagent."""

    payload: Mapping[str, JSON]
    event: str
    harness: Harness
    info: SessionInfo
    parent: SessionInfo
    occurred_at: str = ""
    n: int = 0

    def get(self, name: str) -> JSON:
        """The first field that is there under any of the spellings of ``name``."""
        return first(self.payload, name)

    def text(self, name: str) -> str:
        return text_or(self.get(name))

    def make(self, cls: type[Made], **fields: Any) -> Made:
        """An event of this moment."""
        return cls(occurred_at=self.occurred_at, n=self.n, turn_id=self.text("turn") or None, **fields)

    def own(self, *events: Event) -> Batches:
        return _batch(self.info, events)

    def above(self, *events: Event) -> Batches:
        """For the session that holds this subagent."""
        return _batch(self.parent, events)

    def rest(self, *used: str) -> dict[str, JSON]:
        """Fields nobody asked for, when small; ``used`` are the names, as in ``ALIASES`` or the payload's own."""
        return {key: value for key, value in self.left(*used).items() if small(value)}

    def left(self, *used: str) -> dict[str, JSON]:
        known = ENVELOPE.union(used, *(ALIASES.get(name, ()) for name in (*_ALWAYS, *used)))
        names = ALIASES["event"]
        return {
            key: value
            for key, value in self.payload.items()
            if key not in known and value not in (None, "", [], {}) and not (key in names and value == self.event)
        }


_ALWAYS = ("session", "cwd", "turn", "model", "version", "agent", "agent_type", "parent", "title")
Handler = Callable[[Hook], Batches]


def first(payload: Mapping[str, JSON], name: str) -> JSON:
    for key in ALIASES.get(name, (name,)):
        value = payload.get(key)
        if value is not None:
            return value
    return None


def identifier(value: JSON) -> str:
    """An id as text that every store takes; "" when there is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value).encode("utf-8", "replace").decode().replace("\0", "")[:200].strip()


def agent_in(payload: Mapping[str, JSON]) -> tuple[str, str]:
    """(parent session, agent id) of a payload, "" where it has none."""
    return identifier(first(payload, "session")), identifier(first(payload, "agent"))


def no_answer(event: str, context: Optional[str]) -> bytes:
    return b""


def always(payload: Mapping[str, JSON]) -> bool:
    return True


def as_it_is(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    return payload


@dataclass(frozen=True)
class Harness:
    """One agent program, as data.

    ``events``: its hook event names and what each means. ``tools``: families of tools whose names do not tell.
    ``ends``: it says when a session ends. ``result_events``: the hooks that carry a finished tool call.
    ``resume``: argv template, ``{session}`` is the native id. ``answer``: (event, context) to what it expects back.
    ``injects``: the hooks whose answer brings the briefing to the model; each of them starts an interpreter.
    ``begins``: whether a call of such a hook is the session's first, where it comes with every turn.
    ``reader``: makes a transcript reader for a native id (None: found in the records). ``sources``: where its sessions
    lie on disk. ``flat``: (payload, event) to the same with its fields at the top, where the harness nests them.
    ``supplement``: adds to a flat payload what the agent's own files know and the payload does not say (a subagent's
    parent, a missing session id); reads the disk, so only the sender asks for it. ``context_limit``: characters of
    context it takes whole.
    """

    name: str
    label: str
    events: Mapping[str, Handler]
    fallback: Handler
    reader: Callable[[Harness, Optional[str]], Any]
    tools: Mapping[str, str] = field(default_factory=dict)
    resume: Sequence[str] = ()
    ends: bool = True
    result_events: frozenset[str] = frozenset()
    injects: frozenset[str] = frozenset()
    begins: Callable[[Mapping[str, JSON]], bool] = always
    answer: Callable[[str, Optional[str]], bytes] = no_answer
    agent_of: Callable[[Mapping[str, JSON]], tuple[str, str]] = agent_in
    sources: Sequence[Source] = ()
    flat: Callable[[Mapping[str, JSON], str], Mapping[str, JSON]] = as_it_is
    supplement: Callable[[Mapping[str, JSON], str], Mapping[str, JSON]] = as_it_is
    context_limit: Optional[int] = None

    def family(self, tool: str) -> str:
        return self.tools.get(tool) or family_of(tool, COMMON)


def read_hook(harness: Harness, payload: Mapping[str, JSON], *, event: str, occurred_at: str, n: int) -> Batches:
    hook = hook_of(harness, payload, event=event, occurred_at=occurred_at, n=n)
    return harness.events.get(event, harness.fallback)(hook)


def hook_of(harness: Harness, payload: Mapping[str, JSON], *, event: str, occurred_at: str = "", n: int = 0) -> Hook:
    parent_id, agent_id = harness.agent_of(payload)
    parent = _info(harness, payload, parent_id or UNKNOWN_SESSION)
    info = parent
    if agent_id:
        agent_type = text_or(first(payload, "agent_type")) or None
        info = replace(child_of(parent, agent_id, agent_type), model=text_or(payload.get("subagent_model")) or None)
        parent = replace(parent, agent_type=None)
    return Hook(payload, event, harness, info, parent, occurred_at, n)


def child_of(parent: SessionInfo, agent_id: str, agent_type: Optional[str]) -> SessionInfo:
    """The subagent's own session; its model and title are not its parent's."""
    return replace(
        parent,
        native_id=f"{parent.native_id}/{agent_id}",
        parent_native_id=parent.native_id,
        agent_type=agent_type,
        title=None,
        model=None,
    )


def _info(harness: Harness, payload: Mapping[str, JSON], native_id: str) -> SessionInfo:
    cwd = first(payload, "cwd")
    if isinstance(cwd, list):
        cwd = next((item for item in cwd if isinstance(item, str)), None)
    return SessionInfo(
        harness=harness.name,
        native_id=native_id,
        cwd=text_or(cwd) or None,
        branch=text_or(payload.get("git_branch")) or None,
        model=text_or(first(payload, "model")) or None,
        agent_type=text_or(first(payload, "agent_type")) or None,
        title=text_or(first(payload, "title")) or None,
        harness_version=text_or(first(payload, "version")) or None,
    )


def _batch(info: SessionInfo, events: Iterable[Event]) -> Batches:
    kept = tuple(events)
    return (Batch(info, kept),) if kept else ()  # type: ignore[arg-type]


def findable(fields: Mapping[str, JSON]) -> str:
    """Unknown fields as lines of text, so that they can be searched; pictures as their note."""
    return picture_note(fields) or "\n".join(f"{key}: {compact(without_data(value))}" for key, value in fields.items())
