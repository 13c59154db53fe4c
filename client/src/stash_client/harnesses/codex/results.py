"""What Codex writes around a tool's output: headers with exit code and time, JSON strings, objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses import content
from stash_client.harnesses.tools import fields_of

_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Process (?:exited with code|running"
    r" with session ID)):?[^\n]{0,200}\n){1,8}\s?Output:\n"
)
_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,6})", re.MULTILINE)
_WALL = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    output: JSON
    ok: Optional[bool] = None
    exit_code: Optional[int] = None
    duration_ms: Optional[int] = None


def read_result(value: JSON) -> Result:
    """The output without its header, and what the header or the fields around it say."""
    inner = content.unwrap(value) if isinstance(value, str) else value
    if isinstance(inner, list):
        inner = content.output_of(inner)
    if isinstance(inner, str):
        return _with_header(inner)
    code = content.exit_code_of(inner)
    return Result(inner, _went_well(code, fields_of(inner).get("success")), code, _seconds(inner))


def _with_header(text: str) -> Result:
    header = _HEADER.match(text)
    if not header:
        code = content.exit_code_of(text)
        return Result(text, _went_well(code, None), code)
    code_line, wall = _CODE.search(header.group(0)), _WALL.search(header.group(0))
    code = int(code_line.group(1)) if code_line else None
    return Result(
        text[header.end() :], _went_well(code, None), code, round(float(wall.group(1)) * 1000) if wall else None
    )


def _went_well(code: Optional[int], success: JSON) -> Optional[bool]:
    if code is not None:
        return code == 0
    return success if isinstance(success, bool) else None


def _seconds(value: JSON) -> Optional[int]:
    metadata = fields_of(value).get("metadata")
    seconds = metadata.get("duration_seconds") if isinstance(metadata, Mapping) else None
    return content.number(seconds * 1000) if isinstance(seconds, (int, float)) else None
