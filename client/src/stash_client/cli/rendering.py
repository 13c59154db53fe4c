"""A session and its events as lines of a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stash_client.cli.output import Output, one_line, plain
from stash_client.cli.times import age, clock

if TYPE_CHECKING:
    from stash_client.api.event import Event
    from stash_client.api.models import Session

_OUTPUT_LINES = 8
_WIDTH = 160
_QUIET = frozenset({"session_start", "turn_end", "session_end", "briefing_shown", "compaction"})


def head_lines(session: Session, out: Output) -> Iterator[str]:
    yield out.styled(one_line(session.title or "(no title)"), "bold")
    facts = (session.person.name or session.person.username, session.harness, session.project, session.branch)
    yield out.styled("  ".join(one_line(fact) for fact in facts if fact), "dim")
    yield out.styled(f"{session.state}, {age(session.last_event_at)} ago  {plain(session.url)}", "dim")


def event_lines(event: Event, out: Output, *, full: bool = False) -> Iterator[str]:
    """A line that says when and what, then its text."""
    if event.kind in ("prompt", "reply", "thinking"):
        yield ""
        style = {"prompt": "cyan", "reply": "green"}.get(event.kind, "dim")
        yield out.styled(f"{_mark(event)} {event.kind}", style)
        yield from _text(event.text, full=full or event.kind != "thinking")
    elif event.kind == "tool_call":
        yield from _tool_call(event, out, full)
    else:
        what = event.command or event.text or event.reason or str(event.raw.get("task") or "")
        called = event.name if event.name != event.kind else ""
        name = one_line(" ".join(filter(None, (event.kind, called, event.what))))
        line = f"{_mark(event)} {name} {one_line(what, _WIDTH)}".rstrip()
        styles = {"attention": "yellow", "notification": "yellow"}
        yield out.styled(line, "dim" if event.kind in _QUIET else styles.get(event.kind, "cyan"))


def _mark(event: Event) -> str:
    return f"{clock(event.occurred_at)} #{event.number}"


def _tool_call(event: Event, out: Output, full: bool) -> Iterator[str]:
    verdict = "" if event.ok is None else "ok" if event.ok else "failed"
    if event.exit_code:
        verdict = f"exit {event.exit_code}"
    line = f"{_mark(event)} {one_line(event.name)} {one_line(_input(event), _WIDTH)}".rstrip()
    yield f"{line}  {out.styled(verdict, 'red' if event.ok is False else 'dim')}".rstrip()
    if event.diff:
        yield from _text(event.diff, full=full)
    elif event.output and (full or event.family in ("shell", "other", "mcp", "agent") or event.ok is False):
        yield from _text(event.output, full=full)


def _input(event: Event) -> str:
    given: Any = event.input
    if isinstance(given, dict):
        for name in ("command", "cmd", "file_path", "path", "pattern", "query", "url"):
            if isinstance(given.get(name), str):
                return str(given[name])
    if event.paths:
        return ", ".join(event.paths)
    return given if isinstance(given, str) else "" if given is None else json.dumps(given, ensure_ascii=False)


def _text(text: str, *, full: bool) -> Iterator[str]:
    lines = plain(text).rstrip().split("\n")
    shown = lines if full else lines[:_OUTPUT_LINES]
    yield from (f"  {line if full else line[:_WIDTH]}".rstrip() for line in shown)
    if len(shown) < len(lines):
        yield f"  … {len(lines) - len(shown)} more lines"
