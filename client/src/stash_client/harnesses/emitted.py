"""Our own neutral form, for agents nobody described: what ``stash emit`` and the SDK write.

``{"stash": 1, "session": "run-17", "event": "prompt", "text": "...", ...}``: the kinds of ``events.py`` by name and
their fields; beside them ``at`` (RFC 3339), ``n`` (order within one instant), ``cwd``, ``title``, ``model``,
``branch``, ``version`` and ``agent`` (a subagent's id, whose parent ``session`` is then).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Optional

from stash_client.events import FAMILIES, JSON, KINDS, Batch, Event, Note, SessionInfo, ToolCall, Usage
from stash_client.harnesses import tools
from stash_client.harnesses.base import Batches, child_of, findable, identifier
from stash_client.harnesses.content import compact, number, small, text_or, without_data
from stash_client.ids import canonical_harness

MARK = "stash"
_OTHER_NAMES = {
    "tool": "tool_call", "user": "prompt", "assistant": "reply", "start": "session_start", "end": "session_end",
}  # fmt: skip
_ENVELOPE = frozenset(
    (MARK, "session", "event", "harness", "at", "n", "cwd", "title", "branch", "version", "agent", "agent_type", "uid")
)
_NUMBERS = frozenset(("exit_code", "duration_ms", "tokens_before", "tokens_after"))
_LISTS = frozenset(("attachments", "paths"))
_NEEDED = {"prompt": "text", "reply": "text", "note": "text", "tool_call": "name"}
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")
_MOST_NOTE = 20_000


def is_emitted(payload: Mapping[str, JSON]) -> bool:
    return payload.get(MARK) == 1 and "event" in payload


def kind_of(name: JSON) -> str:
    """The kind of that name or one of its other names; "" for one there is not."""
    kind = name.strip().lower().replace("-", "_") if isinstance(name, str) else ""
    kind = _OTHER_NAMES.get(kind, kind)
    return kind if kind in KINDS else ""


def problem_of(payload: JSON) -> str:
    """What is wrong with a line that a person or a program wrote, "" when nothing is. Reading is more tolerant."""
    if not isinstance(payload, Mapping):
        return "not a JSON object"
    if not identifier(payload.get("session")):
        return 'no "session": any text that is the same for every event of one session'
    kind = kind_of(payload.get("event"))
    if not kind:
        return f'"event" is {json.dumps(payload.get("event"))[:40]}; known are {", ".join(sorted(KINDS))}'
    needed = _NEEDED.get(kind, "")
    if needed and not (isinstance(payload.get(needed), str) and payload[needed]):
        return f'a {kind} needs "{needed}", a text'
    at = payload.get("at")
    if at is not None and not (isinstance(at, str) and _TIME.fullmatch(at)):
        return '"at" is not a time with offset like 2026-11-30T14:02:00Z'
    return ""


def read_emitted(harness: str, payload: Mapping[str, JSON], *, occurred_at: str, n: int) -> Batches:
    """The event a payload tells, in its session. Never raises on content; what has no kind is a note."""
    info = _session(canonical_harness(harness), payload)
    at, place = text_or(payload.get("at")), payload.get("n")
    whole: dict[str, JSON] = {
        "occurred_at": at if _TIME.fullmatch(at) else occurred_at,
        "n": place if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < 2**63 else n,
    }
    return (Batch(info, (_event(payload, whole, info),)),)  # type: ignore[arg-type]


def _session(harness: str, payload: Mapping[str, JSON]) -> SessionInfo:
    info = SessionInfo(
        harness=harness,
        native_id=identifier(payload.get("session")) or "unknown",
        cwd=text_or(payload.get("cwd")) or None,
        branch=text_or(payload.get("branch")) or None,
        model=text_or(payload.get("model")) or None,
        title=text_or(payload.get("title")) or None,
        harness_version=text_or(payload.get("version")) or None,
    )
    agent = identifier(payload.get("agent"))
    return child_of(info, agent, text_or(payload.get("agent_type")) or None) if agent else info


def _event(payload: Mapping[str, JSON], whole: dict[str, JSON], info: SessionInfo) -> Event:
    kind = kind_of(payload.get("event"))
    if not kind:
        rest = {key: value for key, value in payload.items() if key not in _ENVELOPE}
        return Note(name=text_or(payload.get("event"))[:80], text=findable(rest)[:_MOST_NOTE], **whole)
    cls = KINDS[kind]
    names = {f.name for f in fields(cls)} - {"uid", "n", "occurred_at", "extra"}
    own = {name: _value(name, payload[name]) for name in names if payload.get(name) is not None}
    known = names | _ENVELOPE | {"model"}
    extra = {key: without_data(v) for key, v in payload.items() if key not in known and small(v) and v is not None}
    given = {name: value for name, value in own.items() if value is not None}
    if cls is ToolCall:
        given = _tool_call(given, info.cwd)
    return cls(**whole, **given, extra=extra)


def _value(name: str, value: JSON) -> JSON:
    """The value in the type its field has; None where it cannot be."""
    if name == "input":
        return value
    if name == "ok":
        return value if isinstance(value, bool) else None
    if name in _NUMBERS:
        return number(value)
    if name in _LISTS:
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
    if name == "usage":
        counts = tools.fields_of(value)
        told = {f.name: number(counts.get(f.name)) for f in fields(Usage)}
        known = {key: count for key, count in told.items() if count is not None and count >= 0}
        return Usage(**known) if known else None
    return value if isinstance(value, str) else compact(without_data(value))


def _tool_call(given: dict[str, JSON], cwd: Optional[str]) -> dict[str, JSON]:
    """What a caller need not say: the family, success by exit code, the files an input names."""
    name, value = text_or(given.get("name")), given.get("input")
    family = given.get("family")
    family = family if family in FAMILIES else tools.family_of(name)
    code = given.get("exit_code")
    ok = given.get("ok", None if code is None else code == 0)
    paths = given.get("paths") or tools.paths_of(name, family, value)
    return {**given, "name": name, "family": family, "ok": ok, "paths": paths}
