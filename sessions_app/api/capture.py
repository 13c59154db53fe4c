"""POST /events, /hooks/{harness}, /transcripts: decode, make clean, append."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.db import IntegrityError
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import note_claim
from accounts.clients import advice
from accounts.selectors import patterns_of, resolve_project
from sessions_app.api import schemas
from sessions_app.api.decoding import EventsBody, capture_of, decode_session
from sessions_app.models import Event
from sessions_app.services.ingest import Receipt, append_events
from sessions_app.services.opening import NotConnected, NotWritable
from sessions_app.services.reports import Capture, Rejection
from stash.access import require
from stash.actors import Actor
from stash.api.bodies import chunks, lines, read_body
from stash.api.errors import Unavailable
from stash.errors import Invalid, TooLarge
from stash_client.events import Batch, ProjectRef, SessionInfo
from stash_client.harnesses import hook_answer, parse_hook, read_transcript

logger = logging.getLogger(__name__)
_TRANSCRIPT_BYTES = 512 * 1024 * 1024
_LONGEST_LINE = 64 * 1024 * 1024
_REPEAT_WITHIN = timedelta(minutes=10)


class CaptureView(APIView):
    scope = "capture"
    rate = "capture"
    parser_classes: list[Any] = []


class EventsView(CaptureView):
    """Append events to one session; each moment is stored once however often it is sent."""

    @extend_schema(request=schemas.EVENTS, responses={200: schemas.Receipt})
    def post(self, request: Request) -> Response:
        received_at = datetime.now(UTC)
        body = EventsBody.decode(read_body(request._request))
        if len(body.events) > schemas.MOST_EVENTS:
            raise TooLarge(
                f"A request may carry at most {schemas.MOST_EVENTS} events; split it.", limit=schemas.MOST_EVENTS
            )
        if body.user is not None:
            note_claim(request.actor, request.user.username, body.user, where="user")
        capture = capture_of(body, received_at, patterns=patterns_of(request.actor))
        answer = _answer(request, *_append(request.actor, capture))
        told = advice(body.session.client_version)
        return Response({**answer, "message": told} if told else answer)


class HooksView(CaptureView):
    """A harness posts its own payload and gets the answer it expects; for people who switched raw hooks on."""

    @extend_schema(
        request={"application/json": OpenApiTypes.OBJECT},
        responses={200: OpenApiTypes.OBJECT},
        parameters=[
            OpenApiParameter("event", str, description="For harnesses that do not name the event in the body."),
            OpenApiParameter("X-Stash-Project", str, OpenApiParameter.HEADER, required=True),
        ],
    )
    def post(self, request: Request, harness: str) -> HttpResponse:
        identity = request.headers.get("X-Stash-Project", "")
        _check_raw_hooks(request.actor, identity)
        received_at = datetime.now(UTC)
        payload = read_body(request._request)
        event = request.GET.get("event")
        batches = parse_hook(harness, payload, event=event, occurred_at=received_at.isoformat())
        uid = _hook_uid(request, payload, received_at)
        patterns = patterns_of(request.actor)
        for batch in _named(batches, identity, uid):
            _append(request.actor, capture_of(batch, received_at, patterns=patterns))
        answer = hook_answer(harness, event, None)
        return HttpResponse(answer or b"{}", content_type="application/json")


class TranscriptsView(CaptureView):
    """A native transcript file, streamed. The command line client never uses it: it parses and scrubs locally."""

    @extend_schema(
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: schemas.Receipt},
        parameters=[
            OpenApiParameter("harness", str, required=True),
            OpenApiParameter("Stash-Session", str, OpenApiParameter.HEADER, description="The session block as JSON."),
        ],
    )
    def post(self, request: Request) -> Response:
        received_at = datetime.now(UTC)
        info = decode_session(request.headers.get("Stash-Session", ""), request.GET.get("harness", ""))
        pieces = chunks(request._request, most=_TRANSCRIPT_BYTES, unpacked=_TRANSCRIPT_BYTES)
        transcript = read_transcript(
            info.harness, lines(pieces, longest=_LONGEST_LINE), native_id=info.native_id or None
        )
        patterns = patterns_of(request.actor)
        receipts: list[Receipt] = []
        rejected: list[Rejection] = []
        for batch in transcript:
            merged = replace(batch, session=_with(batch.session, info))
            capture = capture_of(merged, received_at, origin="t", patterns=patterns)
            receipt, problems = _append(request.actor, capture)
            receipts += [receipt] if receipt else []
            rejected += problems
        answer = _sum(request, receipts, rejected)
        return Response({**answer, "skipped": dict(transcript.skipped)})


def _append(actor: Actor, capture: Capture) -> tuple[Receipt | None, list[Rejection]]:
    """Append; a project that is not connected (or not writable) rejects every item, not the request."""
    if not capture.reports and capture.rejected:
        return None, capture.rejected
    try:
        receipt = append_events(actor=actor, capture=capture)
    except IntegrityError:
        # Its project or parent was deleted between looking and writing: told again, it finds things as they are.
        logger.warning("a batch lost a race", exc_info=True)
        raise Unavailable(retry_after=1) from None
    except (NotConnected, NotWritable) as problem:
        every = [Rejection(report.index, problem) for report in capture.reports]
        return None, sorted([*capture.rejected, *every], key=lambda r: r.index)
    return receipt, receipt.rejected


def _answer(request: Request, receipt: Receipt | None, rejected: list[Rejection]) -> dict[str, Any]:
    return _sum(request, [receipt] if receipt else [], rejected)


def _sum(request: Request, receipts: list[Receipt], rejected: list[Rejection]) -> dict[str, Any]:
    """One answer for all batches; the session named is the first one's (a transcript's own, before its children)."""
    redactions: Counter[str] = Counter()
    for receipt in receipts:
        redactions.update(receipt.redactions)
    first = next((r.session for r in receipts if r.session), None)
    return {
        "session": str(first.pk) if first else None,
        "url": request.build_absolute_uri(f"/t/{request.actor.team_slug}/sessions/{first.pk}/") if first else None,
        "accepted": sum(r.accepted for r in receipts),
        "completed": sum(r.completed for r in receipts),
        "duplicates": sum(r.duplicates for r in receipts),
        "rejected": [{"index": r.index, "problem": r.problem.as_problem()} for r in rejected],
        "redactions": dict(redactions),
        "last_seq": max((r.session.last_seq for r in receipts if r.session and r.session == first), default=0),
    }


def _check_raw_hooks(actor: Actor, identity: str) -> None:
    require(actor, "sessions.capture")
    if not identity:
        raise Invalid("Name the project in X-Stash-Project.", code="project_missing")
    _, connection = resolve_project(actor, (identity,))
    if connection is None:
        raise Invalid("This project is not connected.", code="project_not_connected")
    if not connection.raw_hooks:
        raise Invalid("Raw hooks are off for this project; switch them on in its settings.", code="raw_hooks_off")


def _hook_uid(request: Request, payload: bytes, received_at: datetime) -> str:
    """A delivery id for a raw post: its Idempotency-Key, else its body's hash within ten minutes."""
    who = request.actor.key_id or request.actor.user_id
    if key := request.headers.get("Idempotency-Key"):
        return f"{who}:{request.path}:{key}"
    content = hashlib.sha256(payload).hexdigest()
    span = int(received_at.timestamp() // _REPEAT_WITHIN.total_seconds())
    current, previous = f"{who}:{content}:{span}", f"{who}:{content}:{span - 1}"
    repeated = Event.objects.filter(
        uid=_uid_of(previous, 0), session__person_id=request.actor.user_id, received_at__gt=received_at - _REPEAT_WITHIN
    ).exists()
    return previous if repeated else current


def _uid_of(seed: str, index: int) -> str:
    return str(uuid5(NAMESPACE_OID, f"{seed}:{index}"))


def _named(batches: Iterable[Batch], identity: str, seed: str) -> Iterator[Batch]:
    """The batches with delivery ids and the project the header named."""
    index = 0
    for batch in batches:
        events = []
        for event in batch.events:
            events.append(replace(event, uid=_uid_of(seed, index)))
            index += 1
        session = replace(batch.session, project=ProjectRef((identity,)))
        yield Batch(session, tuple(events))


def _with(read: SessionInfo, said: SessionInfo) -> SessionInfo:
    """What the file says of its session, where the caller did not say better; children keep their own ids."""
    child = bool(read.parent_native_id)
    return replace(
        read,
        project=said.project,
        machine=said.machine or read.machine,
        checkout=said.checkout or read.checkout,
        cwd=said.cwd or read.cwd,
        branch=said.branch or read.branch,
        commit=said.commit or read.commit,
        client_version=said.client_version,
        policy=said.policy,
        visibility=said.visibility,
        native_id=read.native_id if child or not said.native_id else said.native_id,
    )
