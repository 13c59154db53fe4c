"""A finished tool's result: one text for the model, one for the screen; exit codes stand in the former."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses import content
from stash_client.harnesses.tools import fields_of

_EXIT = re.compile(r"^Exit Code: (-?\d{1,6})\s*$", re.MULTILINE)
_TAIL = 600


@dataclass(frozen=True)
class Result:
    output: JSON
    ok: bool
    exit_code: Optional[int] = None


def read_result(family: str, told: JSON, shown: JSON, error: JSON = None) -> Result:
    """``told``: what the model got, ``shown``: what the person saw, ``error``: set when the tool itself failed."""
    if error is not None:
        return Result(error, ok=False)
    text = content.text_of(told)
    codes = _EXIT.findall(text[-_TAIL:]) if family == "shell" else ()
    code = int(codes[-1]) if codes else None
    return Result(_output(family, told, shown), ok=not code, exit_code=code)


def _output(family: str, told: JSON, shown: JSON) -> JSON:
    """An edit shows its diff, a command its bare output; of other tools the screen shows a summary only."""
    if "fileDiff" in fields_of(shown):
        return shown
    return shown if family == "shell" and isinstance(shown, str) and shown else told
