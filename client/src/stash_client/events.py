"""The vocabulary: what can happen in an agent's session, as frozen values.

Wire form (``to_wire``): one flat JSON object per event, ``{"uid", "n", "kind", "occurred_at", ...fields of the kind}``;
fields equal to their default are left out. Times are RFC 3339 strings with offset. The server stores these kinds
and no others; ``activity`` alone is never stored (it says what a running tool is doing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Union

JSON = Any
"""What ``json.loads`` can return: None, bool, int, float, str, list, dict."""

FAMILIES = ("shell", "edit", "read", "search", "web", "agent", "mcp", "other")


@dataclass(frozen=True)
class Usage:
    """Tokens of one model answer; ``input`` excludes what came from or went to the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True)
class Event:
    """What every kind has.

    ``uid``: delivery id, a UUID string; the same for every retry. ``n``: position in the source (record number,
    capture time in ns), orders events of one instant. ``turn_id``, ``message_id``: ids of the harness, used to
    recognise the same moment when a hook and a transcript both report it. ``extra``: unknown fields, kept.
    """

    kind: ClassVar[str] = "event"

    uid: str = ""
    n: int = 0
    occurred_at: str = ""
    turn_id: str | None = None
    message_id: str | None = None
    extra: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class SessionStart(Event):
    """``source``: startup, resume, clear, compact, fork."""

    kind: ClassVar[str] = "session_start"
    source: str | None = None
    model: str | None = None


@dataclass(frozen=True)
class Prompt(Event):
    """What a person typed; machine-made text is a ``Note``. ``attachments``: file names or image notes."""

    kind: ClassVar[str] = "prompt"
    text: str = ""
    attachments: Sequence[str] = ()


@dataclass(frozen=True)
class Reply(Event):
    kind: ClassVar[str] = "reply"
    text: str = ""
    model: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True)
class Thinking(Event):
    kind: ClassVar[str] = "thinking"
    text: str = ""


@dataclass(frozen=True)
class ToolCall(Event):
    """One finished tool call. ``family``: one of FAMILIES. ``output``: text of the result. ``ok``: None when unknown.

    ``paths``: files read or changed, as the harness named them. ``diff``: unified diff of an edit when the harness
    gives enough to make one (``--- a/path`` / ``+++ b/path`` / hunks; several files allowed).
    """

    kind: ClassVar[str] = "tool_call"
    name: str = ""
    family: str = "other"
    input: JSON = None
    output: str | None = None
    ok: bool | None = None
    exit_code: int | None = None
    duration_ms: int | None = None
    call_id: str | None = None
    paths: Sequence[str] = ()
    diff: str | None = None


@dataclass(frozen=True)
class TurnEnd(Event):
    """``reason``: completed, interrupted or error; ``text``: the error or notice, if any."""

    kind: ClassVar[str] = "turn_end"
    reason: str = "completed"
    text: str = ""


@dataclass(frozen=True)
class Attention(Event):
    """The agent waits for its person. ``what``: permission or question. ``command``: what it wants to run, whole."""

    kind: ClassVar[str] = "attention"
    what: str = "permission"
    text: str = ""
    command: str | None = None


@dataclass(frozen=True)
class Compaction(Event):
    """``text``: what was kept; tokens before and after when known."""

    kind: ClassVar[str] = "compaction"
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Subagent(Event):
    """In the parent: a helper started (``state`` started) or reported (``state`` finished, ``text`` its report)."""

    kind: ClassVar[str] = "subagent"
    agent_id: str = ""
    agent_type: str | None = None
    state: str = "started"
    task: str = ""
    text: str = ""
    call_id: str | None = None


@dataclass(frozen=True)
class Notification(Event):
    kind: ClassVar[str] = "notification"
    name: str | None = None
    text: str = ""


@dataclass(frozen=True)
class BriefingShown(Event):
    """``briefing_id``: the id that POST /briefings answered."""

    kind: ClassVar[str] = "briefing_shown"
    briefing_id: str | None = None


@dataclass(frozen=True)
class SessionEnd(Event):
    kind: ClassVar[str] = "session_end"
    reason: str | None = None


@dataclass(frozen=True)
class Note(Event):
    """Anything else worth keeping. ``name``: the harness's own name for it; unknown ones are counted by it."""

    kind: ClassVar[str] = "note"
    name: str = ""
    text: str = ""


@dataclass(frozen=True)
class Activity(Event):
    """A tool is running now. Never stored: it sets the session's activity line. ``text``: "Running pytest -q"."""

    kind: ClassVar[str] = "activity"
    name: str = ""
    family: str = "other"
    text: str = ""
    call_id: str | None = None


AnyEvent = Union[
    SessionStart, Prompt, Reply, Thinking, ToolCall, TurnEnd, Attention, Compaction,
    Subagent, Notification, BriefingShown, SessionEnd, Note, Activity,
]  # fmt: skip
KINDS: dict[str, type[Event]] = {
    cls.kind: cls
    for cls in (
        SessionStart, Prompt, Reply, Thinking, ToolCall, TurnEnd, Attention, Compaction,
        Subagent, Notification, BriefingShown, SessionEnd, Note, Activity,
    )
}  # fmt: skip
TRANSIENT = frozenset({Activity.kind})


@dataclass(frozen=True)
class ProjectRef:
    """``identities``, strongest first: ``marker:<id>``, ``host/owner/repo``, ``local:<machine>:<hash>``."""

    identities: Sequence[str] = ()
    name: str | None = None


@dataclass(frozen=True)
class SessionInfo:
    """Which session a batch belongs to and what is known of it; later batches may fill in more, never erase.

    ``native_id``: the harness's id; a subagent's is ``<parent>/<agent id>`` with ``parent_native_id`` set.
    ``title``: only one the harness itself gave. ``policy``: what capture left out (``{"prompts": false, ...}``).
    ``visibility``: "private" asks for less than the person's connection gives a new session; nothing asks for more.
    """

    harness: str
    native_id: str
    project: ProjectRef = field(default_factory=ProjectRef)
    cwd: str | None = None
    checkout: str | None = None
    branch: str | None = None
    commit: str | None = None
    model: str | None = None
    machine: str | None = None
    parent_native_id: str | None = None
    agent_type: str | None = None
    title: str | None = None
    harness_version: str | None = None
    client_version: str | None = None
    interactive: bool | None = None
    visibility: str | None = None
    policy: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class Batch:
    """Events of one session, in source order."""

    session: SessionInfo
    events: tuple[AnyEvent, ...] = ()


def to_wire(value: Event | SessionInfo | Usage | ProjectRef) -> dict[str, JSON]:
    """The value as a JSON object; fields that equal their default are left out, ``kind`` is added for events."""
    wire: dict[str, JSON] = {"kind": value.kind} if isinstance(value, Event) else {}
    for f in fields(value):
        item = getattr(value, f.name)
        if item is None or (f.default is not MISSING and item == f.default):
            continue
        if isinstance(item, (Usage, ProjectRef)):
            item = to_wire(item)
        elif isinstance(item, tuple):
            item = list(item)
        if f.default is MISSING and f.default_factory is not MISSING and not item:
            continue
        wire[f.name] = item
    return wire
