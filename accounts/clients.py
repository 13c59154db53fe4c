"""Which clients this server speaks with: old ones are heard all the same, and told."""

from __future__ import annotations

import re

from django.conf import settings

import stash_client

LATEST = stash_client.__version__
_VERSION = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,3}")


def advice(version: str | None) -> str | None:
    """What to tell a client of this version; None when there is nothing to say or it does not say its version."""
    if not version or not is_older(version, settings.MINIMUM_CLIENT):
        return None
    return (
        f"stash-client {_number(version)} is older than this server wants ({settings.MINIMUM_CLIENT}). What it sends"
        " is kept, but some of it may be read less well. Update it: stash upgrade"
    )


def is_older(version: str, than: str) -> bool:
    """By their numbers; what has none (a development build) is never old."""
    return bool(_number(version)) and _parts(version) < _parts(than)


def _number(version: str) -> str:
    found = _VERSION.match(version)
    return found.group() if found else ""


def _parts(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in _number(version).split(".") if part]
    return (*parts, *[0] * (4 - len(parts)))
