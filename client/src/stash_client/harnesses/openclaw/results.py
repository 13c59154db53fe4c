"""A tool's result, ``{content, details}``: in hooks the exit code is a detail, in session files also the last line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses import content
from stash_client.harnesses.base import identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.tools import fields_of

_MARK = ":subagent:"


@dataclass(frozen=True)
class Result:
    """``told``: output and diff as the shared functions read them. ``agent``: the subagent it started."""

    told: JSON
    ok: bool
    exit_code: Optional[int] = None
    agent: str = ""


def read_result(blocks: JSON, details: JSON, failed: bool) -> Result:
    fields = fields_of(details)
    text, code = content.exit_line(content.output_of(blocks) or "")
    told = fields.get("exitCode")
    if code is None and isinstance(told, int) and not isinstance(told, bool):
        code = told
    started = fields_of(content.parse(text)) if text[:1] == "{" else fields
    agent = agent_in_key(text_or(started.get("childSessionKey")))
    return Result({"content": text, "diff": fields.get("diff")}, not failed and not code, code, agent)


def agent_in_key(key: str) -> str:
    """``agent:main:subagent:<id>`` names a subagent by the id at its end; "" for any other session."""
    return identifier(key.rpartition(_MARK)[2]) if _MARK in key else ""
