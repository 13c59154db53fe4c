"""Hermes."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.hermes.hooks import EVENTS, agent_of, answer, flat, is_first_turn
from stash_client.harnesses.hermes.lookup import STORES, with_family
from stash_client.harnesses.hermes.transcript import HermesReader
from stash_client.harnesses.sources import SQLITE, Source
from stash_client.harnesses.transcripts import Transcript


def _store(path: str) -> Iterator[Transcript]:
    from stash_client.harnesses.hermes.database import read_database  # hooks must start fast: no sqlite3 for them

    return read_database(HERMES, path)


HERMES = Harness(
    name="hermes",
    label="Hermes",
    events=EVENTS,
    fallback=by_name,
    reader=HermesReader,
    tools={"execute_code": "shell", "browser_navigate": "web", "skill_view": "read", "memory": "other"},
    resume=("hermes", "--resume", "{session}"),
    ends=True,
    result_events=frozenset({"post_tool_call"}),
    injects=frozenset({"pre_llm_call"}),
    begins=is_first_turn,
    answer=answer,
    agent_of=agent_of,
    sources=tuple(Source(place, SQLITE, _store) for place in STORES),
    flat=flat,
    supplement=with_family,
)
