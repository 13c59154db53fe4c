"""A command's exit code stands in the last line of its output, in hooks and session files alike."""

from __future__ import annotations

import re
from typing import Optional

_LAST_LINE = re.compile(r"\n?<exited with exit code (-?\d{1,6})>\s*\Z")


def without_exit(text: str) -> tuple[str, Optional[int]]:
    """(the output, its exit code or None)"""
    found = _LAST_LINE.search(text[-200:])
    if not found:
        return text, None
    return text[: len(text) - len(found.group(0))], int(found.group(1))
