"""What this person agreed to have captured on this machine: ``connections.json``.

A checkout is known by the real path of its git common dir (its worktrees share it), or of the folder where there is
no git. A marker file may propose a server or project; only what stands here decides where anything goes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from stash_client import accounts, home
from stash_client.checkout import Checkout


@dataclass(frozen=True)
class Connection:
    """Consent for one checkout, or for everything (``place`` is ""). ``server``: label of the account.

    ``project``: the server's id, "" where the server finds or makes the project from the identities.
    ``visibility``: private or project, of new sessions. ``roots``: folders in which its agents were seen to run.
    """

    server: str
    place: str
    project: str = ""
    slug: str = ""
    name: str = ""
    visibility: str = "private"
    roots: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        return not self.place


@dataclass(frozen=True)
class Consents:
    """``refused``: places whose person was asked and said no; nobody asks again."""

    connections: tuple[Connection, ...] = ()
    refused: tuple[str, ...] = ()

    def for_checkout(self, checkout: Checkout) -> Connection | None:
        """The connection that lets this checkout be captured. A folder without git lies under a connected one too."""
        exact = next((c for c in self.connections if c.place == checkout.place), None)
        if exact is None and not checkout.is_git:
            above = [c for c in self.connections if c.place and checkout.place.startswith(c.place.rstrip("/\\") + "/")]
            exact = max(above, key=lambda c: len(c.place), default=None)
        if exact is not None or checkout.place in self.refused:
            return exact
        return next((c for c in self.connections if c.is_everything), None)

    def with_connection(self, connection: Connection) -> Consents:
        others = tuple(c for c in self.connections if c.place != connection.place)
        refused = tuple(place for place in self.refused if place != connection.place)
        return replace(self, connections=(*others, connection), refused=refused)

    def without(self, place: str, *, refuse: bool = True) -> Consents:
        """``refuse``: also where everything is connected, this place is not."""
        left = tuple(c for c in self.connections if c.place != place)
        refused = tuple(dict.fromkeys((*self.refused, place))) if refuse and place else self.refused
        return replace(self, connections=left, refused=refused)


def path() -> Path:
    return home.folder() / "connections.json"


def load() -> Consents:
    """Nothing readable means nothing agreed to. Where the environment names the server, everything is."""
    consents = _stored()
    if accounts.from_environment():
        everything = Connection(accounts.FROM_ENVIRONMENT, "", visibility="project")
        consents = consents.with_connection(everything)
    return consents


def _stored() -> Consents:
    try:
        stored = json.loads(path().read_text(encoding="utf-8"))
        connections = (Connection(**{**c, "roots": tuple(c.get("roots", ()))}) for c in stored["connections"])
        return Consents(tuple(connections), tuple(stored.get("refused", ())))
    except (OSError, ValueError, TypeError, KeyError):
        return Consents()


def save(consents: Consents) -> None:
    """Raises OSError. Whoever saves also writes the hook script anew: its case statement lists the places."""
    kept: Sequence[Connection] = [c for c in consents.connections if c.server != accounts.FROM_ENVIRONMENT]
    stored = {"connections": [asdict(c) for c in kept], "refused": list(consents.refused)}
    home.write_private(path(), json.dumps(stored, indent=1).encode())
