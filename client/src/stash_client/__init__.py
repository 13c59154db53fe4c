"""The part of Stash that runs beside a coding agent: vocabulary, privacy boundary, parsers, and a client of the server.

``Stash`` reads and changes what a server has; ``session`` lets any program capture what its own agent does. Both are
loaded when they are first named: hooks import this package and must start at once. Standard library only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stash_client.api.client import Stash as Stash
    from stash_client.api.errors import NoAccount as NoAccount
    from stash_client.api.errors import Refused as Refused
    from stash_client.api.errors import Unreachable as Unreachable
    from stash_client.sdk import session as session

__version__ = "0.1.0"
_LATER = {
    "Stash": "stash_client.api.client",
    "NoAccount": "stash_client.api.errors",
    "Refused": "stash_client.api.errors",
    "Unreachable": "stash_client.api.errors",
    "session": "stash_client.sdk",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)
