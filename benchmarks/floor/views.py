"""The least a view can do with the same body behind the same middleware and the same key check."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import msgspec
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.authentication import actor_of_key, note_use, usable_key
from floor.models import FloorEvent

GROUP = "floor"
_COLUMNS = ("text", "name", "family", "output", "ok", "exit_code", "duration_ms", "call_id")
_BODY = ("input", "paths", "diff", "model", "usage")


class Body(msgspec.Struct):
    session: dict[str, Any]
    events: list[dict[str, Any]]


_decode = msgspec.json.Decoder(Body).decode


@csrf_exempt
@require_POST
def insert(request: HttpRequest) -> HttpResponse:
    key = usable_key(request.headers.get("Authorization", "")[len("Bearer ") :])
    if key is None:
        return HttpResponse(status=401)
    actor = actor_of_key(key)
    note_use(key, actor.ip)
    body = _decode(request.body)
    session = uuid5(NAMESPACE_OID, body.session["native_id"])
    now = datetime.now(UTC)
    rows = [_row(session, event, number, now) for number, event in enumerate(body.events)]
    FloorEvent.objects.bulk_create(rows)
    return JsonResponse({"accepted": len(rows)})


def _row(session: UUID, event: dict[str, Any], number: int, now: datetime) -> Any:
    return FloorEvent(
        session_id=session,
        number=number,
        seq=number,
        uid=UUID(event["uid"]),
        kind=event["kind"],
        n=event["n"],
        occurred_at=datetime.fromisoformat(event["occurred_at"]),
        received_at=now,
        body={name: event[name] for name in _BODY if name in event},
        **{name: event[name] for name in _COLUMNS if name in event},
    )


@csrf_exempt
@require_POST
def shout(request: HttpRequest) -> HttpResponse:
    """The bare fan-out: the body goes to everybody's socket as it is."""
    layer = get_channel_layer()
    async_to_sync(layer.group_send)(GROUP, {"type": "shout", "text": request.body.decode()})
    return HttpResponse(b"{}", content_type="application/json")
