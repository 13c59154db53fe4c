"""Which session is in a slot, and whose subagent works in it."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses.content import text_or
from stash_client.harnesses.sources import Source

STORE = "${OPENCLAW_STATE_DIR:-~/.openclaw}/agents/*/agent/openclaw-agent.sqlite"
_PLACE = Source(STORE, "sqlite", lambda path: iter(()))


def with_sessions(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """``sessionId`` where the payload names the slot alone, ``parentSessionId`` for a subagent's slot."""
    key = text_or(payload.get("sessionKey"))
    paths = list(_PLACE.files()) if key else []
    if not paths:
        return payload
    from stash_client.harnesses.openclaw.database import slot

    own = f"/{text_or(payload.get('slot'))}/agent/"
    for path in sorted(paths, key=lambda path: own not in path.replace("\\", "/")):
        found = slot(path, key)
        if found:
            return {**found, **payload}
    return payload
