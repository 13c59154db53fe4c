"""Where this machine keeps what it needs: the server and key it signed in with, and payloads not yet sent."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path


def home() -> Path:
    """``$STASH_HOME``, else the platform's place for a person's own settings."""
    if told := os.environ.get("STASH_HOME"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "stash"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "stash"


@dataclass(frozen=True)
class Account:
    """``key`` opens the API as ``user`` in ``team``; ``machine`` is the server's id for this computer."""

    url: str
    key: str
    machine: str
    machine_name: str
    user: str
    team: str


def load() -> Account | None:
    """The account of this machine, or None before ``stash signin``."""
    try:
        return Account(**json.loads((home() / "account.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def save(account: Account) -> Path:
    """Keep it where only this person reads it; written whole or not at all."""
    folder = home()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / "account.json"
    partial = folder / f"account.json.{os.getpid()}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(account), file)
    os.replace(partial, path)
    return path
