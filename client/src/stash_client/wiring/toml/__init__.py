"""Settings in TOML: tables of a list of tables are appended and taken out as whole blocks of lines."""

from __future__ import annotations

from stash_client.wiring.edits import NotSure
from stash_client.wiring.toml.editing import insert, removal
from stash_client.wiring.toml.parsing import parse

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None  # type: ignore[assignment]

__all__ = ["insert", "parse", "read", "removal"]


def read(text: str) -> object:
    """The plain value; dates and other rare scalars as ``("raw", text)``. Raises NotSure, also where Python itself
    does not read it."""
    if tomllib is not None:
        try:
            tomllib.loads(text.lstrip("\ufeff"))
        except ValueError as error:
            raise NotSure(str(error)) from None
    return parse(text).value
