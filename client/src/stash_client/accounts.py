"""The servers this machine is signed in to: ``accounts.json`` (0600), or ``STASH_URL`` and ``STASH_KEY``.

A queue names a server by its ``label`` only; address and key are looked up when something is sent.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from stash_client import home

FROM_ENVIRONMENT = "environment"
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
    kept = [asdict(account) for account in accounts.all if account.label != FROM_ENVIRONMENT]
    stored = {"accounts": kept, "default": accounts.default}
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
    url, key = os.environ.get("STASH_URL", "").rstrip("/"), os.environ.get("STASH_KEY", "")
    if not url or not key:
        return None
    import uuid

    from stash_client.ids import NAMESPACE  # most commands need neither, and start sooner without

    name = os.environ.get("STASH_MACHINE") or os.environ.get("HOSTNAME") or "environment"
    machine = str(uuid.uuid5(NAMESPACE, f"environment\0{name}"))
    return Account(FROM_ENVIRONMENT, url, key, machine, name, user="", team="")
