"""From JSON to clean values: msgspec decodes into the client's own dataclasses, the boundary does the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Self

import msgspec

from sessions_app.services.reports import Capture, Origin, Rejection, Report, clock_skew, report
from stash.errors import BadRequest, Invalid, StashError
from stash_client.events import KINDS, Batch, Event, SessionInfo
from stash_client.harnesses import decode as decode_json
from stash_client.ids import normalise_remote
from stash_client.privacy import BUILTIN, Clean, Patterns, Policy, scrub


class EventsBody(msgspec.Struct):
    """The body of POST /events; items stay raw, so that a bad one fails alone.

    ``user``: decides nothing (attribution comes from the key); a claim to be somebody else is audited.
    """

    session: SessionInfo
    events: list[msgspec.Raw]
    sent_at: str | None = None
    origin: str = "hook"
    user: Any = None

    @classmethod
    def decode(cls, body: bytes) -> Self:
        """Raises BadRequest with where and what. Broken text (BOM, bad UTF-8, NUL) is repaired first."""
        try:
            return _BODY.decode(body)  # type: ignore[return-value]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return cls._repaired(body, error)

    @classmethod
    def _repaired(cls, body: bytes, error: Exception) -> Self:
        if isinstance(error, msgspec.ValidationError):
            raise BadRequest(str(error), code="bad_json")
        try:
            return _BODY.decode(_mended(body))  # type: ignore[return-value]
        except (ValueError, msgspec.DecodeError, RecursionError):
            raise BadRequest(f"The body is not the JSON of the contract: {error}", code="bad_json") from None


_BODY = msgspec.json.Decoder(EventsBody)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _Kind(msgspec.Struct):
    kind: str


_MOST_REMEMBERED = 4096
"""Bytes of a session block; larger ones are nobody's usual."""
_SESSION = msgspec.json.Decoder(SessionInfo)
_KIND = msgspec.json.Decoder(_Kind)
_EVENTS = {kind: msgspec.json.Decoder(cls) for kind, cls in KINDS.items()}


def decode_event(raw: bytes) -> Event:
    """One item of the contract, its text repaired where it is broken. Raises Invalid naming the field that is wrong."""
    try:
        return _decoded(raw)
    except msgspec.ValidationError as error:
        raise Invalid(f"The event is not readable: {error}", code="invalid_event") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _decoded(_mended(raw))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Invalid(f"The event is not readable: {error}", code="invalid_event") from None


def _decoded(raw: bytes | str) -> Event:
    kind = _KIND.decode(raw).kind
    if kind not in _EVENTS:
        raise Invalid(f"There is no event kind {kind[:40]!r}.", code="unknown_kind")
    return _EVENTS[kind].decode(raw)


def _mended(raw: bytes) -> str:
    """The same JSON without what JSON cannot hold. Raises ValueError or RecursionError when it is none."""
    return _LONE_SURROGATE.sub("\ufffd", json.dumps(decode_json(raw), ensure_ascii=False))


def decode_session(header: str, harness: str) -> SessionInfo:
    """The ``Stash-Session`` header of a transcript; without one the file itself must say which session it is."""
    try:
        value = decode_json(_as_utf8(header)) if header else {}
        if not isinstance(value, Mapping):
            raise Invalid("Stash-Session must be a JSON object.", code="invalid_session")
        return msgspec.convert({"harness": harness, "native_id": "", **value}, SessionInfo)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Invalid(f"Stash-Session is not readable: {error}", code="invalid_session") from None


def _as_utf8(header: str) -> bytes:
    """Servers read headers as Latin-1 whatever they are; clients send UTF-8, old ones Latin-1."""
    raw = header.encode("latin-1", "replace")
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return header.encode("utf-8")
    return raw


def capture_of(
    source: EventsBody | Batch, received_at: datetime, *, origin: Origin | None = None, patterns: Patterns = BUILTIN
) -> Capture:
    """Everything clean and ready to store; what cannot be stored is named by its index."""
    policy = Policy.from_mapping(source.session.policy)
    skew = timedelta(0)
    if isinstance(source, EventsBody):
        skew = clock_skew(source.sent_at, received_at)
        origin = "t" if source.origin == "transcript" else "h"
    reports: list[Report] = []
    rejected: list[Rejection] = []
    for index, item in enumerate(source.events):
        try:
            event = item if isinstance(item, Event) else decode_event(bytes(item))
            clean = scrub(event, policy=policy, patterns=patterns)
            reports.append(report(index, clean, origin=origin or "h", received_at=received_at, skew=skew))
        except StashError as problem:
            rejected.append(Rejection(index, problem))
        except RecursionError:
            rejected.append(Rejection(index, Invalid("The event is nested too deeply.", code="too_deep")))
    return Capture(_clean_session(source.session, patterns), reports, origin or "h", rejected, received_at, skew)


def _clean_session(session: SessionInfo, patterns: Patterns) -> Clean[SessionInfo]:
    """Remembered by what it says: a client sends the same block with every batch of a session."""
    try:
        said = msgspec.json.encode(session)
    except UnicodeEncodeError:  # lone surrogates of a raw hook
        return _cleaned(session, patterns)
    return _remembered(said, patterns) if len(said) <= _MOST_REMEMBERED else _cleaned(session, patterns)


@lru_cache(maxsize=1024)
def _remembered(said: bytes, patterns: Patterns) -> Clean[SessionInfo]:
    return _cleaned(_SESSION.decode(said), patterns)


def _cleaned(session: SessionInfo, patterns: Patterns) -> Clean[SessionInfo]:
    return scrub(replace(session, project=_without_credentials(session)), patterns=patterns)


def _without_credentials(session: SessionInfo) -> Any:
    """Remotes lose credentials before anything else sees them, whatever the client forgot."""
    identities = [
        one if one.startswith(("local:", "marker:")) else (normalise_remote(one) or one)
        for one in session.project.identities
    ]
    return replace(session.project, identities=tuple(identities[:20]))
