"""What a checkout may call its project. Cleaned here again, whatever the client did: credentials never get in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stash_client.ids import normalise_remote

_MOST = 20
_MARKER = re.compile(r"^marker:[A-Za-z0-9_-]{8,64}$")
_LOCAL = re.compile(r"^local:[A-Za-z0-9_.-]{1,64}:[0-9a-f]{8,64}$")
_PLAIN = re.compile(r"^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?:/[^\s/@?#:]+){1,12}$")


def clean_identity(value: object) -> str | None:
    """``marker:…``, ``local:<machine>:<hash>`` or ``host/owner/repo``; None for anything that is not a name.

    Remote URLs are taken apart, so that user, password and query are gone before anything is stored or logged.
    """
    if not isinstance(value, str) or len(value) > 2000:
        return None
    text = "".join(c for c in value if c.isprintable()).strip()
    if _MARKER.match(text) or _LOCAL.match(text):
        return text
    if text.startswith(("marker:", "local:")):
        return None
    remote = normalise_remote(text if "://" in text else _without_user(text))
    return remote if remote and _PLAIN.match(remote) else None


def clean_identities(values: Iterable[object]) -> list[str]:
    """Clean, without repeats, strongest first: a marker, then remotes in the client's order, then local folders."""
    found = dict.fromkeys(clean for value in list(values)[:_MOST] if (clean := clean_identity(value)))
    return sorted(found, key=_weakness)


def name_from(identities: Iterable[str]) -> str:
    """What to call a project nobody named: the last part of its remote."""
    for identity in identities:
        if not identity.startswith(("marker:", "local:")):
            return identity.rsplit("/", 1)[-1]
    return "project"


def _weakness(identity: str) -> int:
    return 0 if identity.startswith("marker:") else 2 if identity.startswith("local:") else 1


def _without_user(text: str) -> str:
    """``git@host:owner/repo`` and ``user:password@host/owner/repo`` as a URL without the part before ``@``."""
    host = text.rsplit("@", 1)[-1]
    if ":" in host.split("/", 1)[0] and not host.startswith("["):
        return host
    return f"https://{host}" if host and host[0] not in "/.~" else ""
