"""Zero: the names of its events are known, the bodies hardly; the tolerant parser reads them."""

from __future__ import annotations

from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.generic import GenericReader, by_name

ZERO = Harness(
    name="zero",
    label="Zero",
    events={
        "sessionStart": h.session_start,
        "sessionEnd": h.session_end,
        "beforeTool": h.tool_starts,
        "afterTool": h.tool_told,
        "specialistStart": h.subagent_starts,
        "specialistStop": h.subagent_stops,
    },
    fallback=by_name,
    reader=GenericReader,
    result_events=frozenset({"afterTool"}),
)
