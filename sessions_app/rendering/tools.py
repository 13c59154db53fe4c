"""A tool call in one line: icon, name, argument, result; and what unfolds below it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from sessions_app.commands import command_in
from sessions_app.models import Event
from sessions_app.rendering import diffs
from sessions_app.rendering.output import Output, output_of
from sessions_app.rendering.text import lines_of, one_line, shown, without_data

ICONS = {
    "shell": "terminal",
    "edit": "file-pen",
    "read": "file-text",
    "search": "search",
    "web": "globe",
    "agent": "bot",
    "mcp": "plug",
    "other": "wrench",
}
_MOST_INPUT = 16_000
_OPEN_DIFF = 120
_TAIL = 4000

_PASSED = re.compile(r"\b(\d{1,7}) (?:tests? )?(?:passed|passing)\b")
_FAILED = re.compile(r"\b(\d{1,7}) (?:tests? )?(?:failed|failing|failures)\b")
_COMMITTED = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ", re.MULTILINE)
_FOUND = re.compile(r"^Found (\d{1,9}) (file|match|line)", re.IGNORECASE)
_NAMES_OF_PATH = ("file_path", "filePath", "path", "filename", "notebook_path", "target_file", "file", "uri")
_NAMES_OF_QUERY = ("pattern", "query", "regex", "search", "glob", "glob_pattern")
_NAMES_OF_TASK = ("description", "task", "title", "prompt", "message")


@dataclass(slots=True)
class ToolCard:
    """``state``: passed, failed or unknown. ``path`` is set when the argument is a file; ``given``: the whole input."""

    icon: str
    name: str
    family: str
    state: str
    argument: str = ""
    path: str = ""
    more_paths: int = 0
    result: str = ""
    exit_code: int | None = None
    duration_ms: int | None = None
    given: str = ""
    output: Output | None = None
    diff: diffs.Diff | None = None
    open: bool = False


def card_of(event: Event, base: str = "") -> ToolCard:
    """``base``: address of the session, under which long outputs are loaded."""
    body, given = event.body, event.body.get("input")
    failed = event.ok is False or bool(event.exit_code)
    card = ToolCard(
        icon=ICONS.get(event.family, "wrench"),
        name=tool_name(event.name),
        family=event.family,
        state="failed" if failed else "passed" if event.ok or event.exit_code == 0 else "unknown",
        exit_code=event.exit_code,
        duration_ms=event.duration_ms,
        open=failed,
    )
    _argue(card, given, body.get("paths") or [])
    if body.get("diff"):
        card.diff = diffs.parse(str(body["diff"]))
        card.open = failed or card.diff.shown + card.diff.cut <= _OPEN_DIFF
        card.given = ""
    if event.output and not (card.diff and not failed):
        card.output = output_of(event.output, failed=failed, url=f"{base}events/{event.number}/middle/")
    card.result = result_of(event, card)
    return card


def tool_name(name: str) -> str:
    """``mcp__browser__screenshot`` reads as ``browser screenshot``."""
    parts = [part for part in shown(name).split("__") if part]
    return " ".join(parts[1:] if parts[:1] == ["mcp"] and len(parts) > 1 else parts)[:80] or "tool"


def _argue(card: ToolCard, given: Any, paths: list[Any]) -> None:
    """The argument of the one line, by what the family is about."""
    paths = [str(path) for path in paths]
    if card.family == "shell":
        command = command_in(given)
        card.argument = one_line(command, 300)
        card.given = "\n".join(lines_of(command[:_MOST_INPUT])) if command.strip() != card.argument else ""
    elif card.family in ("edit", "read"):
        path = (paths or [first_of(given, _NAMES_OF_PATH)])[0]
        card.path, card.more_paths = one_line(path, 500), max(len(paths) - 1, 0)
        card.given = pretty(given) if card.family == "edit" else ""
    elif card.family == "search":
        where = first_of(given, ("path", "include", "target_directories"))
        pattern = first_of(given, _NAMES_OF_QUERY)
        card.argument = one_line(f"{pattern} in {where}" if where and where != "." else pattern, 300)
    elif card.family == "web":
        card.argument = one_line(first_of(given, ("url", "query", "uri")), 300)
    elif card.family == "agent":
        card.argument = one_line(first_of(given, _NAMES_OF_TASK), 300)
        card.given = pretty(given)
    else:
        card.given = pretty(given)
    if not card.argument and not card.path:
        card.argument = one_line(compact(given), 200)


def first_of(given: Any, names: tuple[str, ...]) -> str:
    if isinstance(given, str):
        return given
    if not isinstance(given, dict):
        return ""
    return next((str(given[name]) for name in names if given.get(name)), "")


def compact(given: Any) -> str:
    """The input on one line: ``full=true, url=…``."""
    if isinstance(given, dict):
        items = list(given.items())[:12]
        return ", ".join(f"{key}={value if isinstance(value, str) else _dump(value)[:200]}" for key, value in items)
    return "" if given is None else given if isinstance(given, str) else _dump(given)


def pretty(given: Any) -> str:
    """The whole input, indented, cut at 16,000 characters."""
    if given in (None, "", {}, []):
        return ""
    text = given if isinstance(given, str) else json.dumps(given, indent=2, ensure_ascii=False, default=str)
    text = without_data(text)
    cut = text[:_MOST_INPUT]
    note = f"\n… {len(text) - _MOST_INPUT} more characters" if len(text) > _MOST_INPUT else ""
    return "\n".join(lines_of(cut)) + note


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def result_of(event: Event, card: ToolCard) -> str:
    """What came of it in two words: ``64 passed``, ``6 matches``, ``1–140``, a commit's short id."""
    if card.more_paths:
        return f"and {card.more_paths} more"
    if card.family == "edit":
        return ""
    output = event.output or ""
    if card.family == "shell":
        return _shell_result(output[-_TAIL:])
    if card.family == "search":
        return _matches(output)
    if card.family == "read":
        return _lines_read(event.body.get("input"))
    return ""


def _shell_result(tail: str) -> str:
    passed, failed = _PASSED.findall(tail), _FAILED.findall(tail)
    if failed and int(failed[-1]):
        return f"{failed[-1]} failed" + (f", {passed[-1]} passed" if passed else "")
    if passed:
        return f"{passed[-1]} passed"
    committed = _COMMITTED.findall(tail)
    return committed[-1][:7] if committed else ""


def _matches(output: str) -> str:
    if match := _FOUND.match(output):
        return _counted(int(match[1]), match[2].lower())
    if not output.strip() or re.match(r"no (?:matches|files)\b", output, re.IGNORECASE):
        return "no matches"
    return _counted(sum(1 for line in output.split("\n") if line.strip()), "match")


def _counted(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def _lines_read(given: Any) -> str:
    if not isinstance(given, dict):
        return ""
    start, count = given.get("offset"), given.get("limit")
    if isinstance(start, int) and isinstance(count, int):
        return f"{start}–{start + count - 1}"
    return f"first {count}" if isinstance(count, int) else f"from {start}" if isinstance(start, int) else ""
