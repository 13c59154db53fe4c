"""The servers this machine is signed in to: ``accounts.json`` (0600), or ``STASH_URL`` and ``STASH_KEY``.

A queue names a server by its ``label`` only; address and key are looked up when something is sent.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from stash_client import home

_FROM_ENVIRONMENT = "environment="
"""Begins the label of an account that two variables name, and of no other. What follows tells one address from another:
what waits for one server must not go to the next that somebody names.
"""
CHOSEN = "STASH_SERVER"
"""Names the label of the account that is meant for one process and what it starts, as ``stash --server`` does."""


@dataclass(frozen=True)
class Account:
    """``key`` opens the API at ``url`` as ``user`` in ``team``; ``machine`` is the server's id for this computer.

    ``label``: what this machine calls the server; never changes, while the address may.
    """

    label: str
    url: str
    key: str
    machine: str
    machine_name: str
    user: str
    team: str


@dataclass(frozen=True)
class Accounts:
    """``default``: label of the account that is meant when nobody says which."""

    all: tuple[Account, ...] = ()
    default: str = ""

    def named(self, label: str) -> Account | None:
        return next((account for account in self.all if account.label == label), None)

    @property
    def main(self) -> Account | None:
        if chosen := os.environ.get(CHOSEN):
            return self.named(chosen)
        return self.named(self.default) or next(iter(self.all), None)

    def with_account(self, account: Account) -> Accounts:
        """Signed in: replaces the account of that label; the first becomes the default."""
        others = tuple(known for known in self.all if known.label != account.label)
        return Accounts((*others, account), self.default or account.label)

    def without(self, label: str) -> Accounts:
        left = tuple(known for known in self.all if known.label != label)
        return Accounts(left, self.default if self.default != label else "")


def path() -> Path:
    return home.folder() / "accounts.json"


def load() -> Accounts:
    """What is signed in here; the environment's account comes first and is the default where it is given."""
    known = _stored()
    told = from_environment()
    return Accounts((told, *known.all), told.label) if told else known


def _stored() -> Accounts:
    try:
        stored = json.loads(path().read_text(encoding="utf-8"))
        return Accounts(tuple(Account(**account) for account in stored["accounts"]), stored["default"])
    except (OSError, ValueError, TypeError, KeyError):
        return Accounts()


def save(accounts: Accounts) -> None:
    """Raises OSError."""
    kept = [asdict(account) for account in accounts.all if not is_of_environment(account.label)]
    default = "" if is_of_environment(accounts.default) else accounts.default
    stored = {"accounts": kept, "default": default}
    home.write_private(path(), json.dumps(stored, indent=1).encode())


def former() -> tuple[Account, ...]:
    """Accounts this machine signed out of, without their keys: their labels must not come to mean somebody else."""
    try:
        stored = json.loads(_former_path().read_text(encoding="utf-8"))
        return tuple(Account(**account) for account in stored)
    except (OSError, ValueError, TypeError):
        return ()


def remember_former(account: Account) -> None:
    """Raises OSError."""
    others = [asdict(one) for one in former() if one.label != account.label]
    home.write_private(_former_path(), json.dumps([*others, asdict(replace(account, key=""))], indent=1).encode())


def _former_path() -> Path:
    return home.folder() / "former-accounts.json"


def from_environment() -> Account | None:
    """For CI, devcontainers and cloud agents: two variables are an account and consent for everything run there."""
    url, key = environment_url(), os.environ.get("STASH_KEY", "")
    if not url:
        return None
    import uuid

    from stash_client.ids import NAMESPACE  # most commands need neither, and start sooner without

    name = os.environ.get("STASH_MACHINE") or os.environ.get("HOSTNAME") or "environment"
    machine = str(uuid.uuid5(NAMESPACE, f"environment\0{name}"))
    return Account(environment_label(url), url, key, machine, name, user="", team="")


def environment_url() -> str:
    """The address two variables name, "" where one of them is missing."""
    return os.environ.get("STASH_URL", "").rstrip("/") if os.environ.get("STASH_KEY") else ""


def environment_label(url: str) -> str:
    import hashlib

    return f"{_FROM_ENVIRONMENT}{hashlib.sha256(url.rstrip('/').encode('utf-8', 'replace')).hexdigest()[:8]}"


def is_of_environment(label: str) -> bool:
    return label.startswith(_FROM_ENVIRONMENT)
