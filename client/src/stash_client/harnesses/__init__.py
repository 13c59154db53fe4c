"""The agents we understand: their hook payloads and session files as events of one vocabulary.

Nothing here removes secrets: what comes out goes through the privacy boundary before it is stored or sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Optional, Union

from stash_client.events import JSON, Batch, Note, SessionInfo
from stash_client.harnesses.base import ALIASES, Harness, hook_of, read_hook
from stash_client.harnesses.content import compact, without_data
from stash_client.harnesses.detecting import detect
from stash_client.harnesses.emitted import is_emitted, read_emitted
from stash_client.harnesses.generic import generic
from stash_client.harnesses.known import Known
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.transcripts import BATCH, Transcript
from stash_client.ids import canonical_harness

__all__ = [
    "HARNESSES", "Empty", "Harness", "Transcript", "Unreadable",
    "decode", "detect", "harness_named", "hook_answer", "parse_hook", "read_cursor_database",
    "read_transcript", "session_told",
]  # fmt: skip

HARNESSES: Mapping[str, Harness] = Known()
UNREADABLE = "unreadable"


def harness_named(name: str) -> Harness:
    """The harness of that name or alias; one nobody described gets the tolerant parser."""
    canonical = canonical_harness(name)
    return HARNESSES.get(canonical) or generic(canonical)


def parse_hook(
    harness: str,
    payload: Union[JSON, bytes],
    *,
    event: Optional[str] = None,
    occurred_at: str = "",
    n: int = 0,
    on_its_machine: bool = False,
) -> tuple[Batch, ...]:
    """What one hook call says, () when that is nothing. Never raises on content.

    ``event``: for harnesses that do not name it in the body. ``occurred_at``, ``n``: capture time, as text and in ns.
    ``on_its_machine``: what the payload leaves out may be looked up in the files of the agent that sent it.
    """
    if isinstance(payload, (bytes, bytearray)):
        try:
            payload = decode(bytes(payload))
        except Empty:
            return ()
        except Unreadable as unreadable:
            return _unreadable(harness, unreadable.text, occurred_at, n)
    if not isinstance(payload, dict):
        return () if payload is None else _unreadable(harness, compact(without_data(payload)), occurred_at, n)
    if is_emitted(payload):
        return read_emitted(harness, payload, occurred_at=occurred_at, n=n)
    sender, fields, name = _opened(harness, payload, event, on_its_machine)
    return read_hook(sender, fields, event=name, occurred_at=occurred_at, n=n)


def session_told(
    harness: str, payload: Mapping[str, JSON], *, event: Optional[str] = None, on_its_machine: bool = False
) -> SessionInfo:
    """The session a hook call belongs to, also where the call itself says nothing worth keeping."""
    sender, fields, name = _opened(harness, payload, event, on_its_machine)
    return hook_of(sender, fields, event=name).info


def _opened(
    harness: str, payload: Mapping[str, JSON], event: Optional[str], on_its_machine: bool
) -> tuple[Harness, Mapping[str, JSON], str]:
    """(who sent it, its fields at the top and what the sender's files add to them, the event's name)"""
    sender = harness_named(detect(payload, harness))
    name = _event_name(payload, event)
    fields = sender.flat(payload, name)
    return sender, sender.supplement(fields, name) if on_its_machine else fields, name


def _event_name(payload: Mapping[str, JSON], told: Optional[str]) -> str:
    named = (payload.get(key) for key in ALIASES["event"])
    return next((name for name in named if isinstance(name, str) and name), told or "unknown")


def _unreadable(harness: str, text: str, occurred_at: str, n: int) -> tuple[Batch, ...]:
    info = SessionInfo(canonical_harness(harness), UNREADABLE)
    return (Batch(info, (Note(name=UNREADABLE, text=text, occurred_at=occurred_at, n=n),)),)


def read_transcript(
    harness: str, lines: Iterable[bytes], *, native_id: Optional[str] = None, limit: int = BATCH
) -> Transcript:
    """The events of a session file, lazily; see ``Transcript``. Never raises on content."""
    known = harness_named(harness)
    return Transcript(known.reader(known, native_id), lines, limit)


def read_cursor_database(path: str) -> Iterator[Transcript]:
    """One transcript per conversation in a ``state.vscdb``. Raises sqlite3.Error where the file is none."""
    from stash_client.harnesses.cursor.database import read_database  # hooks must start fast: no sqlite3 for them

    return read_database(HARNESSES["cursor"], path)


def hook_answer(harness: str, event: Optional[str], context: Optional[str]) -> bytes:
    """What the harness wants to read back from its hook: b"" or JSON, with ``context`` where it takes any."""
    known = harness_named(harness)
    return known.answer(event or "", fitting(context, known.context_limit) if context else context)


def fitting(context: str, limit: Optional[int]) -> str:
    """As many whole lines as the harness takes; what is over would end up in a file nobody opens."""
    if limit is None or len(context) <= limit:
        return context
    cut = context[: limit - 2]
    return f"{cut[: cut.rfind(chr(10)) + 1].rstrip() or cut}\n…"
