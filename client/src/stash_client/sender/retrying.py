"""A person's wish to try again what was set aside, parked or paused. A file, so that a running sender obeys it too."""

from __future__ import annotations

from pathlib import Path

from stash_client import home
from stash_client.outbox import Outbox


def wish() -> Path:
    return home.folder() / "retry"


def ask() -> None:
    """Raises OSError."""
    home.write_private(wish(), b"")


def obey(outbox: Outbox) -> bool:
    """Whether somebody wished it. Raises OSError."""
    try:
        wish().unlink()
    except FileNotFoundError:
        return False
    outbox.take_refused_back()
    return True
