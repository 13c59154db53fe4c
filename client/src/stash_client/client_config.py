"""What each server says before anything is captured for it: policies of projects, the team's own redaction patterns.

``configs/<label>.json``, refreshed by the sender with its ETag. Without a server the last answer holds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from stash_client import __version__, api, home
from stash_client.accounts import Account
from stash_client.events import JSON
from stash_client.privacy import BUILTIN, OPEN, PatternError, Patterns, Policy, stricter

REFRESH_SECONDS = 600


@dataclass(frozen=True)
class ClientConfig:
    """``policies``: (identities of a project, what it wants left out). ``message``: for the person, e.g. to upgrade."""

    policies: tuple[tuple[frozenset[str], Policy], ...] = ()
    patterns: Patterns = field(default=BUILTIN)
    message: str = ""

    def policy_for(self, identities: Iterable[str]) -> Policy:
        ours, policy = frozenset(identities), OPEN
        for known, wanted in self.policies:
            if ours & known:
                policy = stricter(policy, wanted)
        return policy


def path(label: str) -> Path:
    return home.folder() / "configs" / f"{quote(label, safe='')}.json"


def stored(label: str) -> ClientConfig:
    """What the server said last; the built-in rules alone where it never answered."""
    return _config(_read(label).get("config"))


def refresh(account: Account, *, seconds: float = 10) -> None:
    """Ask again when the answer is old. Raises Unreachable, Refused and OSError; the old answer stays then."""
    known = _read(account.label)
    if 0 <= time.time() - float(known.get("asked_at") or 0) < REFRESH_SECONDS:
        return
    url = f"{account.url}/api/v1/client-config?version={quote(__version__)}"
    got = api.get(url, key=account.key, etag=known.get("etag") or None, seconds=seconds)
    config = known.get("config") if got.body is None else _ours(got.body)
    said = {"asked_at": time.time(), "etag": got.etag, "config": config}
    home.write_private(path(account.label), json.dumps(said).encode())


def _ours(said: dict[str, Any]) -> dict[str, Any]:
    """Who signs in to a hotel's network gets its page instead: it must not pass for "nothing is left out any more"."""
    if not all(isinstance(said.get(name), list) for name in ("projects", "patterns")):
        raise api.Unreachable("what answered there is not Stash")
    return said


def _read(label: str) -> dict[str, Any]:
    try:
        said = json.loads(path(label).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _config(said: JSON) -> ClientConfig:
    """Tolerant of everything but a policy: one that cannot be read leaves out everything, as in ``Policy``."""
    if not isinstance(said, Mapping):
        return ClientConfig()
    projects = [one for one in _listed(said.get("projects")) if isinstance(one, Mapping)]
    policies = tuple((_identities(one), Policy.from_mapping(one.get("policy"))) for one in projects)
    patterns = _compiled(_listed(said.get("patterns")))
    return ClientConfig(policies, patterns, str(said.get("message") or ""))


def _identities(project: Mapping[str, JSON]) -> frozenset[str]:
    known = [str(one) for one in _listed(project.get("identities"))]
    return frozenset([*known, f"marker:{project['id']}"] if project.get("id") else known)


def _listed(value: JSON) -> Sequence[JSON]:
    return value if isinstance(value, list) else ()


def _compiled(items: Sequence[JSON]) -> Patterns:
    """One pattern this version does not know must not cost the others."""
    good = []
    for item in items:
        try:
            Patterns.compile([item])
        except (PatternError, TypeError, AttributeError):
            continue
        good.append(item)
    return Patterns.compile(good) if good else BUILTIN
