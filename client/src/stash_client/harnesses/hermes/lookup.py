"""What Hermes's store knows of a session and its hooks do not say: whose subagent it is, and where it works."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses.base import first, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.sources import Source

STORES = ("${HERMES_HOME:-~/.hermes}/state.db", "${LOCALAPPDATA:-~/AppData/Local}/hermes/state.db")


def with_family(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """Its parent, if this is a subagent; its folder, because a gateway's own is not the project; for an approval that
    names no session, the one that runs in its folder."""
    path = next((path for place in STORES for path in Source(place, "sqlite", lambda path: iter(())).files()), None)
    if path is None:
        return payload
    from stash_client.harnesses.hermes.database import find_session

    found = find_session(path, identifier(first(payload, "session")), text_or(payload.get("cwd")))
    return {**payload, **found}
