"""What events do to their session: status, title, counters, trace. Pure functions on a locked row; nothing is read.

Status follows the latest word in time, not the latest to arrive: ``status_since`` is the time of the event that set
it, and an earlier event that comes later changes counters only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from sessions_app.filing import filed
from sessions_app.models import Event, Session
from stash_client.events import Activity
from stash_client.harnesses import HARNESSES
from stash_client.privacy import snippet

IDLE_AFTER = timedelta(minutes=10)
ENDED_AFTER = timedelta(hours=24)
ENDED_AFTER_WITHOUT_END = timedelta(minutes=30)
"""For harnesses that never say that a session ended."""

TAIL = 32
BUCKETS = 280
_LETTERS = {"prompt": "p", "reply": "r", "subagent": "s", "compaction": "c", "attention": "w"}
_LOUDNESS = {letter: rank for rank, letter in enumerate("nrtsepcwf")}
_TOKENS = {"in": "input", "out": "output", "cache_read": "cache_read", "cache_write": "cache_write"}
_MOST_TOKENS = 10**12
"""More in one reply is a mistake; the sums of a session stay within 64 bits."""
_TITLE_LENGTH = 80
_PLACEHOLDER = re.compile(r"\[redacted:[^\]]*\]")

Status = Session.Status
_STATUS_BY_KIND = {
    "prompt": Status.WORKING,
    "tool_call": Status.WORKING,
    "reply": Status.WORKING,
    "thinking": Status.WORKING,
    "compaction": Status.WORKING,
    "activity": Status.WORKING,
    "attention": Status.NEEDS_YOU,
    "turn_end": Status.IDLE,
    "session_end": Status.ENDED,
}


def letter(event: Event) -> str:
    """The event's bar in the trace.

    p prompt, r reply, t tool, e edit, f failure, s subagent, c compaction, w waiting, n anything else.
    """
    if event.kind == "tool_call":
        if event.ok is False or event.exit_code:
            return "f"
        return "e" if event.family == "edit" else "t"
    if event.kind == "turn_end" and event.body.get("reason") == "error":
        return "f"
    return _LETTERS.get(event.kind, "n")


def absorb(session: Session, events: list[Event]) -> None:
    """Count new events into their session and let each have its effect; ``events`` in source order."""
    for event in events:
        _extend_trace(session, letter(event))
        session.events += 1
        session.last_seq += 1
        event.number, event.seq = session.events, session.last_seq
        _count(session, event)
        _consider_title(session, event)
        _consider_name(session, event)
        _consider_status(session, event)
        session.started_at = min(session.started_at, event.occurred_at)
        session.last_event_at = max(session.last_event_at, event.occurred_at)
    _settle_end(session, events)


def show_activity(session: Session, activity: Activity, at: datetime) -> None:
    """A tool is running: it sets the line in the header and is stored nowhere else."""
    if at < session.status_since:
        return  # told late: the call has long been answered, or the session is over
    session.activity = snippet(activity.text or activity.name, 200)
    session.last_event_at = max(session.last_event_at, at)
    _set_status(session, Status.WORKING, at)


def _extend_trace(session: Session, bar: str) -> None:
    session.tail = (session.tail + bar)[-TAIL:]
    if session.events % session.trace_step or not session.trace:
        session.trace = session.trace[:-1] + _louder(session.trace[-1:], bar)
        return
    if len(session.trace) == BUCKETS:
        pairs = zip(session.trace[::2], session.trace[1::2], strict=True)
        session.trace = "".join(_louder(a, b) for a, b in pairs)
        session.trace_step *= 2
    session.trace += bar


def _louder(a: str, b: str) -> str:
    return max(a, b, key=lambda bar: _LOUDNESS.get(bar, -1))


def tally(event: Event) -> dict[str, int]:
    """What one event adds to the counters of its session, by the session's field."""
    if event.kind == "prompt":
        return {"prompts": 1}
    if event.kind == "tool_call":
        failed = event.ok is False or bool(event.exit_code)
        return {"tool_calls": 1, "edits": event.family == "edit", "failures": failed}
    if event.kind != "reply":
        return {}
    usage = event.body.get("usage") or {}
    return {f"tokens_{name}": min(max(usage.get(key, 0), 0), _MOST_TOKENS) for name, key in _TOKENS.items()}


def _count(session: Session, event: Event) -> None:
    _add(session, tally(event))
    _note_model(session, event)
    if event.redactions:
        session.redactions = dict(Counter(session.redactions) + Counter(event.redactions))


def _add(session: Session, counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        setattr(session, name, getattr(session, name) + count)


def _note_model(session: Session, event: Event) -> None:
    if event.kind in ("reply", "session_start"):
        session.model = (event.body.get("model") or session.model)[:120]


@dataclass(frozen=True, slots=True)
class Told:
    """What an event has told its session so far."""

    counts: Mapping[str, int]
    redactions: Counter[str]
    model: str


def told(event: Event) -> Told:
    return Told(tally(event), Counter(event.redactions), event.body.get("model") or "")


def correct(session: Session, event: Event, before: Told) -> None:
    """Count an event again that a second report completed: only what it says now and did not say before."""
    now = told(event)
    _add(session, {name: count - before.counts.get(name, 0) for name, count in now.counts.items()})
    if now.redactions != before.redactions:
        session.redactions = dict(Counter(session.redactions) - before.redactions + now.redactions)
    if now.model != before.model:
        _note_model(session, event)
    _redraw(session, event)


def _redraw(session: Session, event: Event) -> None:
    """Completing can only make a bar louder (a call turns out to have failed)."""
    bar = letter(event)
    back = session.events - event.number
    if back < len(session.tail):
        place = len(session.tail) - 1 - back
        session.tail = session.tail[:place] + bar + session.tail[place + 1 :]
    bucket = (event.number - 1) // session.trace_step
    if bucket < len(session.trace):
        drawn = _louder(session.trace[bucket], bar)
        session.trace = session.trace[:bucket] + drawn + session.trace[bucket + 1 :]


def title_of(text: str) -> str:
    """A title from a prompt: its first words on one line; nothing but placeholders gives none."""
    said = _PLACEHOLDER.sub("", text)
    return snippet(text, _TITLE_LENGTH) if any(c.isalnum() for c in said) else ""


def _consider_title(session: Session, event: Event) -> None:
    """The first prompt in time names the session, until its harness or a person does."""
    source = Session.TitleSource
    if event.kind != "prompt" or session.title_source in (source.HARNESS, source.PERSON):
        return
    if session.title_at is not None and event.occurred_at >= session.title_at:
        return
    if title := title_of(event.text):
        session.title, session.title_source, session.title_at = title, source.PROMPT, event.occurred_at


def _consider_name(session: Session, event: Event) -> None:
    """The first prompt to arrive files the session, for good; where nobody prompts, the end of the first turn."""
    if session.filed_on is None and event.kind in ("prompt", "turn_end", "session_end"):
        title = title_of(event.text) if event.kind == "prompt" else ""
        session.filed_on, session.filed_as = filed(session.pk, event.occurred_at, title)


def _consider_status(session: Session, event: Event) -> None:
    status = _STATUS_BY_KIND.get(event.kind)
    if event.occurred_at < session.status_since:
        return
    if status is None:
        if session.status != Status.ENDED:
            return
        status = Status.IDLE
    if session.status == Status.NEEDS_YOU and event.kind in ("reply", "thinking"):
        return
    session.waiting_for = (event.body.get("command") or event.text) if event.kind == "attention" else ""
    session.activity = ""
    if event.kind == "turn_end":
        session.failed = event.body.get("reason") == "error"
    elif event.kind == "prompt":
        session.failed = False
    elif event.kind == "session_end":
        session.end_reason = (event.body.get("reason") or "")[:40]
    _set_status(session, status, event.occurred_at)


def _set_status(session: Session, status: str, at: datetime) -> None:
    if status == Status.ENDED:
        session.ended_at = at
    elif session.status == Status.ENDED:
        session.ended_at, session.end_reason = None, ""
    session.status, session.status_since = status, at


def _settle_end(session: Session, events: Iterable[Event]) -> None:
    """What was imported long after it happened is over already; the sweep would say so a minute later."""
    now = max((event.received_at for event in events), default=session.last_event_at)
    settle(session, now)


def settle(session: Session, now: datetime) -> bool:
    """Let silence have its effect: idle after ten minutes, ended after a day. True when the status changed.

    A session that waits for its person keeps waiting until it ends: that it waits long is what people want to see.
    """
    silence = now - session.last_event_at
    if session.status == Status.ENDED:
        return False
    if silence >= ended_after(session.harness):
        session.waiting_for = session.activity = ""
        session.end_reason = "silence"
        session.status, session.status_since, session.ended_at = (
            Status.ENDED,
            session.last_event_at,
            session.last_event_at,
        )
        return True
    if session.status == Status.WORKING and silence >= IDLE_AFTER:
        session.activity = ""
        session.status = Status.IDLE
        return True
    return False


def ended_after(harness: str) -> timedelta:
    known = HARNESSES.get(harness)
    return ENDED_AFTER if known is None or known.ends else ENDED_AFTER_WITHOUT_END


def unsettled(now: datetime) -> Q:
    """Those that ``settle`` would change, so that many idle sessions never stand before one that has to idle."""
    endless = [name for name, harness in HARNESSES.items() if not harness.ends]
    return (
        Q(last_event_at__lte=now - ENDED_AFTER)
        | Q(last_event_at__lte=now - ENDED_AFTER_WITHOUT_END, harness__in=endless)
        | Q(last_event_at__lte=now - IDLE_AFTER, status=Status.WORKING)
    )
