"""A tool's result: ``{success, result: [...]}`` in hooks, blocks ``{kind, data}`` in session files, or plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses import content
from stash_client.harnesses.content import text_or
from stash_client.harnesses.tools import fields_of

_CODE = re.compile(r"-?\d{1,6}\Z")
_FAILED = frozenset({"error", "failed", "failure"})


@dataclass(frozen=True)
class Result:
    output: str
    ok: Optional[bool] = None
    exit_code: Optional[int] = None


def read_result(value: JSON, status: JSON = None) -> Result:
    """``status``: what stands beside the value, "success", "error", True or False."""
    fields = fields_of(value)
    items = fields.get("result", fields.get("content", value)) if fields else value
    parts = [_unpacked(item) for item in (items if isinstance(items, list) else [items])]
    code = next((code for code in map(_code, parts) if code is not None), None)
    failed = text_or(status) in _FAILED or status is False or fields.get("success") is False or bool(code)
    known = status is not None or code is not None or isinstance(fields.get("success"), bool)
    output = "\n".join(filter(None, (content.output_of(_bare(part)) or "" for part in parts)))
    return Result(output, not failed if known else None, code)


def _unpacked(item: JSON) -> JSON:
    """The data of a ``{kind, data}`` block; anything else as it is."""
    fields = fields_of(item)
    return fields["data"] if "kind" in fields and "data" in fields else item


def _code(part: JSON) -> Optional[int]:
    told = fields_of(part).get("exit_status")
    if isinstance(told, int) and not isinstance(told, bool):
        return told
    return int(told) if isinstance(told, str) and _CODE.match(told) else None


def _bare(part: JSON) -> JSON:
    if not isinstance(part, Mapping):
        return part
    return {key: value for key, value in part.items() if key != "exit_status"}
