"""What this person agreed to have captured on this machine: ``connections.json``.

A checkout is known by the real path of its git common dir (its worktrees share it), or of the folder where there is
no git. A marker file may propose a server or project; only what stands here decides where anything goes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from stash_client import accounts, home
from stash_client.checkout import Checkout


@dataclass(frozen=True)
class Connection:
    """Consent for one checkout, or for everything (``place`` is ""). ``server``: label of the account.

    ``project``: the server's id, "" where the server finds or makes the project from the identities.
    ``visibility``: private or project, of new sessions.
    """

    server: str
    place: str
    project: str = ""
    slug: str = ""
    name: str = ""
    visibility: str = "private"

    @property
    def is_everything(self) -> bool:
        return not self.place


@dataclass(frozen=True)
class Consents:
    """``refused``: places whose person was asked and said no; nobody asks again."""

    connections: tuple[Connection, ...] = ()
    refused: tuple[str, ...] = ()

    def for_checkout(self, checkout: Checkout) -> Connection | None:
        """The connection that lets this checkout be captured. A folder without git lies under a decided one too."""
        decided = self._decided(checkout)
        if decided:
            return next((c for c in self.connections if c.place == decided), None)
        return next((c for c in self.connections if c.is_everything), None)

    def refuses(self, checkout: Checkout) -> bool:
        """Whether its person said no, to the checkout or to a folder it lies in; also where everything is connected."""
        return bool(decided := self._decided(checkout)) and decided in self.refused

    def _decided(self, checkout: Checkout) -> str:
        """The place nearest to the checkout that its person said yes or no to, "" for none."""
        places = [place for place in (*(c.place for c in self.connections), *self.refused) if place]
        if checkout.is_git:
            return checkout.place if checkout.place in places else ""
        return max((place for place in places if _holds(place, checkout.place)), key=len, default="")

    def with_connection(self, connection: Connection) -> Consents:
        others = tuple(c for c in self.connections if c.place != connection.place)
        refused = tuple(place for place in self.refused if place != connection.place)
        return replace(self, connections=(*others, connection), refused=refused)

    def without(self, place: str, *, refuse: bool = True) -> Consents:
        """``refuse``: also where everything is connected, this place is not."""
        left = tuple(c for c in self.connections if c.place != place)
        refused = tuple(dict.fromkeys((*self.refused, place))) if refuse and place else self.refused
        return replace(self, connections=left, refused=refused)


def _holds(above: str, place: str) -> bool:
    stem = above.rstrip("/\\")
    return place == above or (place.startswith(stem) and place[len(stem) : len(stem) + 1] in ("/", os.sep))


def path() -> Path:
    return home.folder() / "connections.json"


def load() -> Consents:
    """What holds for this process: as ``stored``, and everything where its environment names a server."""
    return with_environment(stored(), accounts.environment_url())


def with_environment(consents: Consents, url: str) -> Consents:
    """``url``: of the server that the environment of an agent named, "" for none."""
    if not url:
        return consents
    return consents.with_connection(Connection(accounts.environment_label(url), "", visibility="project"))


_FIELDS = frozenset(field.name for field in fields(Connection))


def stored() -> Consents:
    """What a person said on this machine. Nothing readable means nothing agreed to.

    What another version of this client wrote besides is passed over: a consent is not lost by an upgrade.
    """
    try:
        said = json.loads(path().read_text(encoding="utf-8"))
        connections = (Connection(**{k: v for k, v in c.items() if k in _FIELDS}) for c in said["connections"])
        return Consents(tuple(connections), tuple(said.get("refused", ())))
    except (OSError, ValueError, TypeError, KeyError):
        return Consents()


def save(consents: Consents) -> None:
    """Raises OSError. Whoever saves also writes the hook script anew: its case statement lists the places."""
    kept: Sequence[Connection] = [c for c in consents.connections if not accounts.is_of_environment(c.server)]
    said = {"connections": [asdict(c) for c in kept], "refused": list(consents.refused)}
    home.write_private(path(), json.dumps(said, indent=1).encode())
