"""What of an event is searched: prompts, replies, reports of subagents, and of tool calls the telling parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sessions_app.commands import command_in
from sessions_app.models import Event

KINDS = ("prompt", "reply", "tool_call", "subagent")
FIELDS = ("id", "seq", "kind", "text", "name", "family", "output", "ok", "body")
_MOST_TEXT = 12_000
_HEAD = 1_500
_MOST_ERRORS = 40
_ERROR = re.compile(
    r"^.*(?:error|exception|traceback|fail|fatal|panic|denied|refused|not found|cannot|timed? ?out).*$",
    re.IGNORECASE | re.MULTILINE,
)
_ARGUMENTS = ("query", "pattern", "url", "prompt", "description", "glob", "path", "file_path")


def text_of(event: Event) -> str:
    """One text, most telling parts first."""
    if event.kind == "tool_call":
        return "\n".join(part for part in _call(event) if part)
    if event.kind == "subagent":
        return f"{event.body.get('task') or ''}\n{event.text}"[:_MOST_TEXT]
    return event.text[:_MOST_TEXT]


def _call(event: Event) -> Iterator[str]:
    given = event.body.get("input")
    yield command_in(given)[:_HEAD] if event.family == "shell" else _arguments(given)
    yield " ".join(str(path) for path in (event.body.get("paths") or ())[:20])[:_HEAD]
    if event.family != "shell":
        yield event.name
    yield _changed(event.body.get("diff"))
    yield event.text[:_HEAD]
    if event.output:
        yield event.output[:_HEAD]
        yield _errors(event.output[_HEAD:])


def _arguments(given: Any) -> str:
    if isinstance(given, str):
        return given[:_HEAD]
    if not isinstance(given, dict):
        return ""
    return "\n".join(str(given[name])[:_HEAD] for name in _ARGUMENTS if isinstance(given.get(name), str))


def _changed(diff: Any) -> str:
    if not isinstance(diff, str):
        return ""
    lines = (line for line in diff[: 4 * _HEAD].splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    return "\n".join(line[1:] for line in lines)[:_HEAD]


def _errors(output: str) -> str:
    """The lines further down that tell of an error, short ones whole."""
    found = []
    for match in _ERROR.finditer(output[:200_000]):
        found.append(match.group().strip()[:300])
        if len(found) >= _MOST_ERRORS:
            break
    return "\n".join(found)
