"""OMP (oh-my-pi): Pi's events, with a stop that names the session and brings the last answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stash_client.events import TurnEnd
from stash_client.harnesses import handlers as h
from stash_client.harnesses import pi
from stash_client.harnesses.base import Batches, Hook
from stash_client.harnesses.sources import JSONL, Source, read_file
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript


def stopped(hook: Hook) -> Batches:
    """The answer has the id it had at its own end, so that it counts once."""
    message = fields_of(hook.payload.get("last_assistant_message"))
    return hook.own(*pi.said(hook, message), hook.make(TurnEnd))


def _read(path: str) -> Iterator[Transcript]:
    yield read_file(OMP, path)


OMP = replace(
    pi.PI,
    name="omp",
    label="OMP",
    events={**pi.EVENTS, "session_switch": h.session_start, "session_stop": stopped},
    resume=("omp", "--resume={session}"),
    sources=(Source("${PI_CODING_AGENT_DIR:-~/.omp/agent}/sessions/**/*.jsonl", JSONL, _read),),
)
