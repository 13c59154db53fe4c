"""What OpenCode's store knows and one call of a plugin does not say: whose subagent a session is, what a turn said."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses.base import first, identifier
from stash_client.harnesses.sources import Source
from stash_client.harnesses.tools import fields_of

STORE = "${XDG_DATA_HOME:-~/.local/share}/opencode/opencode*.db"
_PLACE = Source(STORE, "sqlite", lambda path: iter(()))
_ENDS = frozenset({"session.idle", "session.error"})


def with_store(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    session = identifier(first(payload, "session"))
    paths = list(_PLACE.files()) if session else []
    if not paths:
        return payload
    from stash_client.harnesses.opencode.database import message_role, session_facts, turn_of

    found: dict[str, JSON] = {}
    for path in paths:
        found = {**session_facts(path, session)}
        if event in _ENDS:
            found.update(turn_of(path, session))
        elif event == "message.part.updated":
            part = fields_of(fields_of(payload.get("properties")).get("part"))
            found["role"] = message_role(path, identifier(part.get("messageID")))
        if any(found.values()):
            break
    # The plugin knows who started a session, the store all those above it.
    above = found.get("parentSessionId")
    return {**found, **payload, **({"parentSessionId": above} if above else {})}
