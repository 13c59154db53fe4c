"""Codex's token counts: running totals, sometimes repeated, sometimes started anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from stash_client.events import JSON, Usage
from stash_client.harnesses.content import number
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import plus


class TokenCount:
    """Makes of every count what is new since the one before."""

    def __init__(self) -> None:
        self._total = Usage()

    def owed_after(self, owed: Usage, info: Mapping[str, JSON]) -> Usage:
        total, last = _usage(info.get("total_token_usage")), _usage(info.get("last_token_usage"))
        if total is None:
            return plus(owed, last or Usage())
        before, self._total = self._total, total
        return plus(owed, _new(before, total, last))


def _new(before: Usage, total: Usage, last: Optional[Usage]) -> Usage:
    """A repeated total adds nothing; a total that equals the last answer was started anew, as is a smaller one."""
    if total == before:
        return Usage()
    if last is not None and total == last:
        return last
    grown = _minus(total, before)
    return grown if grown is not None else last or total


def _minus(one: Usage, other: Usage) -> Optional[Usage]:
    parts = (
        one.input - other.input,
        one.output - other.output,
        one.cache_read - other.cache_read,
        one.cache_write - other.cache_write,
    )
    return Usage(*parts) if min(parts) >= 0 else None


def _usage(value: JSON) -> Optional[Usage]:
    """``input_tokens`` includes what came from the cache; ours does not."""
    if not isinstance(value, Mapping):
        return None
    fields = fields_of(value)
    cached = number(fields.get("cached_input_tokens")) or 0
    read = number(fields.get("input_tokens")) or 0
    return Usage(max(read - cached, 0), number(fields.get("output_tokens")) or 0, min(cached, read))
