"""Cursor, the editor's agent and the one in the terminal."""

from stash_client.harnesses.base import Harness
from stash_client.harnesses.cursor.hooks import EVENTS, agent_of, answer
from stash_client.harnesses.cursor.transcript import CursorReader
from stash_client.harnesses.generic import by_name

CURSOR = Harness(
    name="cursor",
    label="Cursor",
    events=EVENTS,
    fallback=by_name,
    reader=CursorReader,
    tools={"Task": "agent", "Shell": "shell", "StrReplace": "edit", "Delete": "edit"},
    resume=("cursor-agent", "--resume", "{session}"),
    ends=True,
    result_events=frozenset({"postToolUse", "postToolUseFailure"}),
    injects=frozenset({"sessionStart"}),
    answer=answer,
    agent_of=agent_of,
)
