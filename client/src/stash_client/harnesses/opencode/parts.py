"""What hooks, bus events, stored rows and older files have in common: sessions, messages and their parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

from stash_client.events import JSON, Usage
from stash_client.harnesses import content
from stash_client.harnesses.base import identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.tools import fields_of

_TASK = re.compile(r"\s*<task_metadata>.*\Z", re.DOTALL)
_AGENT = re.compile(r"\(@([\w.-]{1,60}) subagent\)\s*\Z")
_UNNAMED = ("New session", "Child session")
ABORTED = "MessageAbortedError"


@dataclass(frozen=True)
class Result:
    """``told``: output and diff as the shared functions read them. ``agent``: the session of a subagent."""

    told: JSON
    ok: bool
    exit_code: Optional[int] = None
    agent: str = ""


def read_result(output: JSON, metadata: JSON, error: JSON = None) -> Result:
    """A failing command is a completed call with an exit code beside it."""
    fields = fields_of(metadata)
    agent = identifier(fields.get("sessionId") or fields.get("sessionID"))
    if error is not None:
        return Result(error, ok=False, agent=agent)
    code = fields.get("exit")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    text = content.text_of(output)
    told = {"output": _TASK.sub("", text) if agent else text, "diff": fields.get("diff")}
    return Result(told, ok=not code, exit_code=code, agent=agent)


def is_said(part: Mapping[str, JSON]) -> bool:
    """Text that was typed or answered; the program marks what it added itself."""
    return part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")


def title_of(session: Mapping[str, JSON]) -> str:
    title = text_or(session.get("title"))
    return "" if title.startswith(_UNNAMED) else title


def agent_type_of(session: Mapping[str, JSON]) -> str:
    """Only the title of a subagent's session says what kind it is."""
    found = _AGENT.search(text_or(session.get("title")))
    return found.group(1) if found else ""


def error_text(error: JSON) -> str:
    fields = fields_of(error)
    return text_or(fields_of(fields.get("data")).get("message")) or text_or(fields.get("name")) or text_or(error)


def usage_of(tokens: JSON) -> Usage:
    """Its input leaves out what came from the cache; thoughts are counted apart from the output."""
    fields = fields_of(tokens)
    cache = fields_of(fields.get("cache"))
    output = (number(fields.get("output")) or 0) + (number(fields.get("reasoning")) or 0)
    cached, written = number(cache.get("read")) or 0, number(cache.get("write")) or 0
    return Usage(number(fields.get("input")) or 0, output, cached, written)


def attachment_of(part: Mapping[str, JSON]) -> str:
    """The name of a file part; "" for any other."""
    if part.get("type") != "file":
        return ""
    return text_or(part.get("filename")) or f"[file {text_or(part.get('mime'))[:100]}]".replace(" ]", "]")
