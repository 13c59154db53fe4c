"""Events as JSON objects and a session as markdown, one event at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sessions_app.commands import command_in
from sessions_app.models import Event, Session
from sessions_app.rendering.text import one_line, shown, without_data
from sessions_app.rendering.tools import compact, pretty

_COLUMNS = (  # noqa: SIM905
    "name family text output ok exit_code duration_ms call_id turn_id message_id"
).split()
FIXED_WORDS = (  # kept beside the functions that say them: a search that skips sessions must know them
    "UTC tool exit sh diff json Context compacted Waits for its person Subagent [characters of base64] "
    "prompt reply thinking tool_call turn_end attention compaction subagent notification briefing_shown note "
    "session_start session_end activity"
)
"""Every word that a transcript may say which neither its session nor an event holds."""
_FENCES = re.compile(r"`{3,}")


def event_object(event: Event) -> dict[str, Any]:
    """The event as the contract shows it: the wire form of its kind, ``seq`` and ``number``; empty fields left out."""
    found: dict[str, Any] = {
        "seq": event.seq,
        "number": event.number,
        "uid": str(event.uid),
        "n": event.n,
        "kind": event.kind,
        "occurred_at": event.occurred_at.isoformat(),
    }
    for name in _COLUMNS:
        value = getattr(event, name)
        if value is not None and value != "":
            found[name] = value
    for name, value in event.body.items():
        found.setdefault(name, value)
    if event.redactions:
        found["redactions"] = event.redactions
    return found


def jsonl_of(pages: Iterable[list[Event]]) -> Iterator[str]:
    """One line per event, a page at a time."""
    for page in pages:
        yield "".join(json.dumps(event_object(event), ensure_ascii=False) + "\n" for event in page)


def markdown_of(session: Session, pages: Iterable[list[Event]]) -> Iterator[str]:
    """Front matter, then one section per prompt and reply, tool calls as fenced blocks."""
    yield front_of(session)
    for page in pages:
        yield "".join(text + "\n\n" for event in page if (text := _section(session, event)))


def front_of(session: Session) -> str:
    """What stands before the first event."""
    facts = {
        "session": str(session.pk),
        "person": session.person.display_name,
        "harness": session.harness,
        "project": session.project.slug if session.project else "",
        "branch": session.branch,
        "started_at": session.started_at.isoformat(),
        "last_event_at": session.last_event_at.isoformat(),
        "events": session.events,
    }
    lines = [f"{name}: {json.dumps(shown(str(value)), ensure_ascii=False)}" for name, value in facts.items() if value]
    title = one_line(session.title) or "Untitled session"
    return "---\n" + "\n".join(lines) + f"\n---\n\n# {_inline(title)}\n\n"


def _section(session: Session, event: Event) -> str:
    head = f"#{event.number} · {event.occurred_at:%Y-%m-%d %H:%M:%S} UTC"
    text = shown(without_data(event.text)).strip("\n")
    match event.kind:
        case "prompt":
            return f"## {_inline(session.person.display_name)} ({head})\n\n{_quoted(text)}"
        case "reply":
            return f"## {_inline(session.harness)} ({head})\n\n{text}"
        case "tool_call":
            return _tool(event, head)
        case "compaction":
            return f"*Context compacted ({head})*" + (f"\n\n{_quoted(text)}" if text else "")
        case "attention":
            command = shown(str(event.body.get("command") or ""))
            return f"*Waits for its person ({head})*\n\n{_quoted(text)}" + (
                f"\n\n{_fenced(command)}" if command else ""
            )
        case "subagent":
            task = one_line(str(event.body.get("task") or ""))
            return f"*Subagent ({head})*: {_inline(task)}" + (f"\n\n{_quoted(text)}" if text else "")
        case "thinking" | "session_start" | "session_end" | "briefing_shown":
            return ""
        case "turn_end" if not text:
            return ""
    return f"*{_inline(event.name or event.kind)} ({head})*" + (f"\n\n{_quoted(text)}" if text else "")


def _tool(event: Event, head: str) -> str:
    given = event.body.get("input")
    command = command_in(given) if event.family == "shell" else ""
    parts = [f"### {_inline(event.name or 'tool')} ({head})"]
    if command:
        parts.append(_fenced(shown(without_data(command)), "sh"))
    elif event.body.get("diff"):
        parts.append(_fenced(shown(str(event.body["diff"])), "diff"))
    elif given:
        inline = compact(given)
        parts.append(_fenced(pretty(given), "json") if len(inline) > 120 else _fenced(shown(without_data(inline))))
    if event.output:
        parts.append(_fenced(shown(without_data(event.output)).strip("\n")))
    if event.exit_code is not None:
        parts.append(f"exit {event.exit_code}")
    return "\n\n".join(parts)


def _fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any inside it."""
    longest = max((len(match.group()) for match in _FENCES.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def _inline(text: str) -> str:
    """A name in running markdown: nothing in it can open a tag, a link or code."""
    return re.sub(r"([\\`*_\[\]<>#|!&])", r"\\\1", one_line(text, 300))
