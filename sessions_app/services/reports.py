"""What arrives, prepared for storing: one Report per event, with the ids by which its moment is recognised."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import NAMESPACE_OID, UUID, uuid5

import msgspec

from sessions_app.models import Event
from stash.errors import StashError
from stash_client.events import Event as Happening
from stash_client.events import SessionInfo, ToolCall
from stash_client.privacy import Clean

Origin = Literal["h", "t"]
"""h: a hook saw it happen, t: a transcript tells it afterwards."""

_COLUMNS = frozenset(
    [
        "uid",
        "n",
        "occurred_at",
        "turn_id",
        "message_id",
        "text",
        "name",
        "family",
        "output",
        "ok",
        "exit_code",
        "duration_ms",
        "call_id",
    ]
)
_CLOCK_ERROR = timedelta(seconds=60)
_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Rejection:
    """An item that cannot be stored, by its place in the request; its neighbours are not affected."""

    index: int
    problem: StashError


@dataclass(slots=True)
class Report:
    """One clean event on its way in. ``row`` is complete but for session, number and seq.

    ``timeless``: its source gives no times (Cursor transcripts), so its neighbours decide where it belongs.
    """

    index: int
    row: Event
    event: Happening
    timeless: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """A request to append: who the session is, what happened, who saw it, by whose clock.

    ``skew``: how far that clock is behind ours.
    """

    session: Clean[SessionInfo]
    reports: list[Report]
    origin: Origin = "h"
    rejected: list[Rejection] = field(default_factory=list)
    received_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    skew: timedelta = timedelta(0)


def moment_key(event: Happening, match: int | None) -> str | None:
    """The strongest id of the moment, unique in its session; None when only its text can tell (or nothing)."""
    kind = event.kind
    if call_id := getattr(event, "call_id", None):
        return _bounded(f"{'agent' if kind == 'subagent' else 'call'}:{call_id}")
    if kind == "subagent":
        agent = getattr(event, "agent_id", "")
        return _bounded(f"agent:{agent}") if agent else None
    if kind in ("reply", "thinking") and event.message_id:
        return _bounded(f"{kind}:{event.message_id}:{match}")
    if kind == "prompt" and event.message_id:
        # Without its text, which a plugin may have rewritten between two reports.
        return _bounded(f"prompt:{event.message_id}")
    if kind == "turn_end" and event.turn_id:
        return _bounded(f"end:{event.turn_id}")
    if kind in ("prompt", "reply") and event.turn_id:
        return _bounded(f"{kind}:{event.turn_id}:{match}")
    return None


def match_hash(event: Happening) -> int | None:
    """A signed 64-bit hash of kind and white-space-normalised text; of a tool call, of family and main argument.

    Starts and compactions are told alike by their order alone: their texts differ between hook and transcript.
    """
    if isinstance(event, ToolCall):
        subject = _main_argument(event)
    elif event.kind in ("prompt", "reply", "thinking"):
        subject = getattr(event, "text", "")
    elif event.kind in ("session_start", "compaction"):
        subject = ""
    else:
        return None
    normal = f"{event.kind}\0{' '.join(subject.split())}".encode()
    return int.from_bytes(hashlib.blake2b(normal, digest_size=8).digest(), "big", signed=True)


def _main_argument(call: ToolCall) -> str:
    if isinstance(call.input, Mapping):
        for key in ("command", "cmd", "query", "pattern", "url"):
            if isinstance(value := call.input.get(key), str):
                return f"{call.family} {value}"
    return f"{call.family} {call.paths[0]}" if call.paths else f"{call.family} {call.name}"


def _bounded(text: str, most: int = 200) -> str:
    """Ids of any length fit: a long one is replaced by its hash, never cut, so that two cannot become one."""
    return text if len(text) <= most else f"{text[:40]}…{hashlib.sha256(text.encode()).hexdigest()}"


def bounded_id(text: str | None) -> str | None:
    return _bounded(text) if text else None


def report(index: int, clean: Clean[Any], *, origin: Origin, received_at: datetime, skew: timedelta) -> Report:
    """The row-to-be of one clean event. Raises StashError for values no column can hold."""
    event = clean.value
    match = match_hash(event)
    occurred_at, reported_at = _when(event.occurred_at, received_at, skew)
    row = Event(
        kind=event.kind,
        uid=_uid(event.uid),
        digest=hashlib.sha256(msgspec.json.encode(event)).hexdigest()[:32],
        origins=origin,
        moment=moment_key(event, match),
        match=match,
        occurred_at=occurred_at,
        reported_at=reported_at,
        received_at=received_at,
        n=_int64(event.n, "n"),
        text=getattr(event, "text", ""),
        name=(getattr(event, "name", None) or "")[:200],
        family=getattr(event, "family", "")[:10],
        output=getattr(event, "output", None),
        ok=getattr(event, "ok", None),
        exit_code=_int64(getattr(event, "exit_code", None), "exit_code"),
        duration_ms=_int64(getattr(event, "duration_ms", None), "duration_ms"),
        call_id=bounded_id(getattr(event, "call_id", None)),
        turn_id=bounded_id(event.turn_id),
        message_id=bounded_id(event.message_id),
        body=_body(event),
        redactions=dict(clean.redactions),
    )
    return Report(index, row, event, timeless=not event.occurred_at)


def _body(event: Happening) -> dict[str, Any]:
    """The fields that have no column, without those left at their default."""
    body = {}
    for name, value in vars(event).items():
        if name not in _COLUMNS and value is not None and value != () and value != {}:
            body[name] = msgspec.to_builtins(value) if hasattr(value, "__dataclass_fields__") else value
    return body


def _uid(text: str) -> UUID:
    """Delivery ids are UUIDs; any other string is hashed into one, the same every time."""
    if not text:
        raise StashError("The event has no uid, so a retry could not be told from a repeat.", code="uid_missing")
    try:
        return UUID(text)
    except ValueError:
        return uuid5(NAMESPACE_OID, text)


def _int64(value: int | None, name: str) -> Any:
    if value is not None and not -_INT64 <= value < _INT64:
        raise StashError(f"{name} is out of range.", code="invalid")
    return value


def _when(text: str, received_at: datetime, skew: timedelta) -> tuple[datetime, datetime | None]:
    """(occurred_at, what the client said if that was shifted). An unreadable time becomes the time of receipt."""
    try:
        said = datetime.fromisoformat(text)
        said = (said if said.tzinfo else said.replace(tzinfo=UTC)).astimezone(UTC)
        occurred = said + skew if abs(skew) > _CLOCK_ERROR else said
    except (ValueError, OverflowError):
        return received_at, None
    occurred = min(occurred, received_at)
    return occurred, said if occurred != said else None


def clock_skew(sent_at: str | None, received_at: datetime) -> timedelta:
    """How far the client's clock is behind ours; zero when it does not say."""
    try:
        sent = datetime.fromisoformat(sent_at or "")
        return received_at - (sent if sent.tzinfo else sent.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return timedelta(0)
