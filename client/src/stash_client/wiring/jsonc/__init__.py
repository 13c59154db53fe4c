"""Settings in JSON as people write it: comments, trailing commas, any indentation; edited in place."""

from __future__ import annotations

from stash_client.wiring.jsonc.editing import insert, removal
from stash_client.wiring.jsonc.parsing import parse, value_of

__all__ = ["insert", "parse", "read", "removal"]


def read(text: str) -> object:
    """The plain value. Raises NotSure."""
    return value_of(parse(text))
