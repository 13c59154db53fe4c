"""Turns the blocks of a script into the events that an agent's hooks would have sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from stash.home.demo.script import Block
from stash_client.events import (
    Activity,
    AnyEvent,
    Attention,
    Compaction,
    Prompt,
    Reply,
    SessionEnd,
    SessionStart,
    Subagent,
    ToolCall,
    TurnEnd,
    Usage,
)

_FAMILIES = {"bash": "shell", "read": "read", "grep": "search", "edit": "edit", "write": "edit", "web": "web"}
_NAMES = {
    "codex": {"bash": "exec_command", "read": "read_file", "grep": "grep_files", "edit": "apply_patch",
              "write": "apply_patch", "web": "web_search"},
    "cursor": {"bash": "run_terminal_cmd", "read": "read_file", "grep": "grep_search", "edit": "search_replace",
               "write": "write", "web": "web_search"},
    "opencode": {word: word for word in _FAMILIES},
}  # fmt: skip
_CLAUDE = {"bash": "Bash", "read": "Read", "grep": "Grep", "edit": "Edit", "write": "Write", "web": "WebFetch"}
_TOOK_MS = {"read": 90, "grep": 210, "edit": 120, "write": 140, "bash": 1400, "web": 2300}
_CONTEXT = 9_000
"""Tokens that every turn of an agent starts with: its instructions and tools."""


def uid_of(session: str, position: object) -> str:
    """The same for every run that plays the same session, so that a repeat is recognised."""
    return str(uuid5(NAMESPACE_URL, f"stash-demo:{session}:{position}"))


def start(session: str, model: str, at: datetime) -> SessionStart:
    return SessionStart(uid=uid_of(session, "start"), occurred_at=at.isoformat(), source="startup", model=model)


def event_of(block: Block, *, harness: str, session: str, position: int, at: datetime, model: str) -> AnyEvent:
    """The one event a block stands for. Raises KeyError for a word that scripts do not know."""
    common: dict[str, Any] = {"uid": uid_of(session, position), "n": position, "occurred_at": at.isoformat()}
    if block.word in _FAMILIES or block.word == "tool":
        return _call(block, harness, {**common, "call_id": f"call_{uid_of(session, position)[:12]}"})
    if block.word == "reply":
        return Reply(text=block.text, model=model, usage=_usage(block, position), **common)
    return _PLAIN[block.word](block, common)


def activity_of(block: Block, *, session: str, position: object, at: datetime) -> Activity:
    """What is said to run while a call of the live part has not returned."""
    command, _ = block.parts
    words = {
        "bash": f"Running {command.splitlines()[0] if command else ''}",
        "edit": f"Editing {block.argument}",
        "write": f"Writing {block.argument}",
        "read": f"Reading {_path_and_lines(block.argument)[0]}",
        "grep": f"Searching for {block.argument}",
    }
    return Activity(
        uid=uid_of(session, f"{position}-running"),
        occurred_at=at.isoformat(),
        name=block.word,
        text=words.get(block.word, block.argument),
    )


def _usage(block: Block, position: int) -> Usage:
    """Made up, but of the right size: the context grows with the session, and most of it comes from the cache."""
    spent = len(block.text) // 3 + 1_800
    context = _CONTEXT + position * 700
    return Usage(input=context, output=spent, cache_read=context * 9, cache_write=spent * 3)


def _call(block: Block, harness: str, common: dict[str, Any]) -> ToolCall:
    exit_code = int(block.options["exit"]) if "exit" in block.options else None
    took = block.options.get("took")
    given, output, paths, diff = _parts_of(block)
    if block.word == "bash" and exit_code is None:
        exit_code = 0
    return ToolCall(
        name=_NAMES.get(harness, _CLAUDE).get(block.word, block.argument),
        family=_FAMILIES.get(block.word, "mcp"),
        input=given,
        output=output or None,
        ok=not exit_code,
        exit_code=exit_code if block.word == "bash" else None,
        duration_ms=round(float(took) * 1000) if took else _TOOK_MS.get(block.word, 800) + common["n"] * 7 % 90,
        paths=paths,
        diff=diff,
        **common,
    )


def _parts_of(block: Block) -> tuple[Any, str, tuple[str, ...], str | None]:
    """(input, output, paths, diff) of a call."""
    given, output = block.parts
    if block.word == "bash":
        return {"command": given}, output, (), None
    if block.word == "read":
        path, lines = _path_and_lines(block.argument)
        return {"file_path": path, **lines}, block.text, (path,), None
    if block.word == "grep":
        return {"pattern": block.argument}, block.text, (), None
    if block.word == "web":
        return {"url": block.argument}, block.text, (), None
    if block.word in ("edit", "write"):
        diff = unified(block.argument, block.text) if block.word == "edit" else whole_file(block.argument, block.text)
        return {"file_path": block.argument}, "", (block.argument,), diff
    return json.loads(given or "{}"), output, (), None


def _path_and_lines(argument: str) -> tuple[str, dict[str, int]]:
    path, _, lines = argument.partition(" ")
    first, _, last = lines.partition("-")
    return path, {"offset": int(first), "limit": int(last) - int(first) + 1} if last else {}


def unified(path: str, text: str) -> str:
    """A unified diff from hunks that say only their first line: ``@@ 31 def handle_charge():``."""
    lines, moved = [f"--- a/{path}", f"+++ b/{path}"], 0
    for hunk in f"\n{text}".split("\n@@ ")[1:]:
        first, *rows = hunk.splitlines()
        number, _, heading = first.partition(" ")
        rows = [row or " " for row in rows]
        old = sum(row[0] in " -" for row in rows)
        new = sum(row[0] in " +" for row in rows)
        start = int(number)
        lines += [f"@@ -{start},{old} +{start + moved},{new} @@ {heading}".rstrip(), *rows]
        moved += new - old
    return "\n".join(lines) + "\n"


def whole_file(path: str, text: str) -> str:
    rows = text.splitlines()
    head = ["--- /dev/null", f"+++ b/{path}", f"@@ -0,0 +1,{len(rows)} @@"]
    return "\n".join([*head, *(f"+{row}" for row in rows)]) + "\n"


def agent_id_of(common_uid: str) -> str:
    return common_uid[:8]


def _agent(block: Block, common: dict[str, Any]) -> Subagent:
    return Subagent(
        agent_id=agent_id_of(common["uid"]),
        agent_type=block.options.get("kind", "explore"),
        state="finished",
        task=block.argument,
        text=block.text,
        **common,
    )


def _compaction(block: Block, common: dict[str, Any]) -> Compaction:
    before, after = (int(number) for number in block.argument.split())
    return Compaction(trigger="auto", tokens_before=before, tokens_after=after, text=block.text, **common)


_PLAIN: dict[str, Callable[[Block, dict[str, Any]], AnyEvent]] = {
    "prompt": lambda block, common: Prompt(text=block.text, **common),
    "agent": _agent,
    "compact": _compaction,
    "ask": lambda block, common: Attention(what="permission", text=block.argument, command=block.text, **common),
    "question": lambda block, common: Attention(what="question", text=block.text, **common),
    "doing": lambda block, common: Activity(name="running", text=block.argument, **common),
    "end": lambda block, common: TurnEnd(reason=block.argument or "completed", text=block.text, **common),
    "close": lambda block, common: SessionEnd(reason=block.argument or "prompt_input_exit", **common),
}
