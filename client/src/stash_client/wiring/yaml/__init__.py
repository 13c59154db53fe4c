"""Settings in a small part of YAML: block mappings and lists of plain scalars. Whatever else is in a file, it is left
alone: guessing at YAML costs more than asking its person to add four lines."""

from __future__ import annotations

from stash_client.wiring.yaml.editing import insert, removal
from stash_client.wiring.yaml.parsing import parse, value_of

__all__ = ["insert", "parse", "read", "removal"]


def read(text: str) -> object:
    """The plain value, every scalar as text. Raises NotSure."""
    return value_of(parse(text))
