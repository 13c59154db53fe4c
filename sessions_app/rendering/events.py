"""One stored event as the values its fragment shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from django.utils.safestring import SafeString

from sessions_app.models import Event, Session
from sessions_app.rendering.markdown import markdown
from sessions_app.rendering.text import lines_of, linked, one_line, shown, without_data
from sessions_app.rendering.tools import ToolCard, card_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_PROMPT = 64_000


@dataclass(slots=True)
class AgentCard:
    """A subagent inside its parent: ``child`` is its own session, when the reader may see it."""

    state: str
    task: str
    report: SafeString | str = ""
    agent_type: str = ""
    child: Session | None = None
    finished: bool = False


@dataclass(slots=True)
class EventView:
    """``shape``: the fragment that draws it. ``order`` sorts as text in display order. ``words``: what a note says.
    ``left``: characters of a long prompt that are not shown.
    """

    number: int
    uid: str
    seq: int
    kind: str
    at: datetime
    order: str
    shape: str
    html: SafeString | str = ""
    words: str = ""
    detail: str = ""
    left: int = 0
    icon: str = ""
    attachments: list[str] = field(default_factory=list)
    tool: ToolCard | None = None
    agent: AgentCard | None = None
    facts: dict[str, object] = field(default_factory=dict)


def order_of(event: Event) -> str:
    """(occurred_at, n, number) as text of fixed width, so that browsers need no 64-bit numbers to compare."""
    micros = max(int((event.occurred_at - _EPOCH).total_seconds() * 1_000_000), 0)
    return f"{micros:017d}{event.n + 2**63:020d}{event.number:010d}"


def view_of(event: Event, children: Mapping[UUID, Session] | None = None, base: str = "") -> EventView:
    view = EventView(
        number=event.number,
        uid=event.uid.hex,
        seq=event.seq,
        kind=event.kind,
        at=event.occurred_at,
        order=order_of(event),
        shape="note",
    )
    if event.kind == "tool_call":
        view.shape, view.tool = "tool", card_of(event, base)
    elif event.kind == "subagent":
        _subagent(view, event, children or {})
    else:
        _FILL.get(event.kind, _note)(view, event)
    return view


def child_of(event: Event) -> UUID | None:
    """Id of the session a subagent event stands for."""
    try:
        return UUID(str(event.body.get("child"))) if event.kind == "subagent" and event.body.get("child") else None
    except ValueError:
        return None


def _prompt(view: EventView, event: Event) -> None:
    view.shape = "prompt"
    text = shown(without_data(event.text))
    view.html = linked(text[:_MOST_PROMPT])
    view.left = max(len(text) - _MOST_PROMPT, 0)
    view.attachments = [one_line(str(name), 200) for name in event.body.get("attachments") or []]


def _reply(view: EventView, event: Event) -> None:
    view.shape = "reply"
    view.html = markdown(event.text)


def _thinking(view: EventView, event: Event) -> None:
    view.shape = "thinking"
    view.html = markdown(event.text)


def _attention(view: EventView, event: Event) -> None:
    view.shape = "attention"
    question = event.body.get("what") == "question"
    view.words = "\n".join(lines_of(event.text))
    view.facts = {"what": "question" if question else "permission"}
    view.detail = shown(str(event.body.get("command") or ""))


def _compaction(view: EventView, event: Event) -> None:
    view.shape = "compaction"
    view.facts = {name: event.body.get(name) for name in ("tokens_before", "tokens_after", "trigger")}
    view.html = markdown(event.text) if event.text else ""


def _turn_end(view: EventView, event: Event) -> None:
    reason = event.body.get("reason") or "completed"
    view.words = "\n".join(lines_of(event.text[:4000]))
    if reason == "error":
        view.shape, view.icon = "error", "circle-x"
        view.words = view.words or "The turn ended in an error"
    elif reason == "interrupted":
        view.icon, view.words = "circle-x", "Interrupted by its person" + (f": {view.words}" if view.words else "")
    elif view.words:
        view.icon = "info"
    else:
        view.shape, view.words = "quiet", "Turn finished"


def _session_start(view: EventView, event: Event) -> None:
    source = one_line(str(event.body.get("source") or "startup"), 40)
    model = one_line(str(event.body.get("model") or ""), 80)
    said = {"startup": "Session started", "resume": "Session resumed", "clear": "Started afresh"}
    view.icon = "activity"
    view.words = said.get(source, f"Session started ({source})") + (f" with {model}" if model else "")


def _session_end(view: EventView, event: Event) -> None:
    reason = one_line(str(event.body.get("reason") or ""), 80)
    view.icon, view.words = "log-out", "Session ended" + (f": {reason}" if reason else "")


def _note(view: EventView, event: Event) -> None:
    view.icon = "info"
    name = one_line(event.name or event.kind.replace("_", " "), 120)
    text = "\n".join(lines_of(event.text[:_MOST_PROMPT]))
    view.words = name if not text else f"{name}: {text}" if len(text) <= 300 and "\n" not in text else name
    view.detail = text if text and view.words == name else ""


def _subagent(view: EventView, event: Event, children: Mapping[UUID, Session]) -> None:
    finished = event.body.get("state") != "started"
    identity = child_of(event)
    child = children.get(identity) if identity else None
    view.shape = "agent"
    view.agent = AgentCard(
        state=("failed" if child is not None and child.failed else "passed") if finished else "running",
        task=one_line(str(event.body.get("task") or event.body.get("agent_type") or "Subagent"), 300),
        report=markdown(event.text) if event.text else "",
        agent_type=one_line(str(event.body.get("agent_type") or ""), 60),
        child=child,
        finished=finished,
    )


_FILL: dict[str, Callable[[EventView, Event], None]] = {
    "prompt": _prompt,
    "reply": _reply,
    "thinking": _thinking,
    "attention": _attention,
    "compaction": _compaction,
    "turn_end": _turn_end,
    "session_start": _session_start,
    "session_end": _session_end,
}
