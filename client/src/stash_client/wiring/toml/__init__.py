"""Settings in TOML: tables of a list of tables are appended and taken out as whole blocks of lines."""

from __future__ import annotations

from stash_client.wiring.toml.editing import insert, removal
from stash_client.wiring.toml.parsing import parse

__all__ = ["insert", "parse", "read", "removal"]


def read(text: str) -> object:
    """The plain value; dates and other rare scalars as ``("raw", text)``. Raises NotSure."""
    return parse(text).value
