"""The capture contract for the OpenAPI document, told by the types that decode it: it cannot drift from them."""

from __future__ import annotations

from typing import Any

import msgspec
from rest_framework import serializers

from stash_client.events import FAMILIES, KINDS, SessionInfo

MOST_EVENTS = 500
_HINTS: dict[str, dict[str, Any]] = {
    "uid": {"description": "Delivery id, the same for every retry; a UUID, or any text that is hashed into one."},
    "n": {"format": "int64", "description": "Position in the source; orders events of one instant."},
    "occurred_at": {"description": "RFC 3339; left out or unreadable: the time of receipt."},
    "family": {"description": f"One of {', '.join(FAMILIES)}."},
    "exit_code": {"format": "int64"},
    "duration_ms": {"format": "int64"},
}


def _events_request() -> dict[str, Any]:
    types = (SessionInfo, *KINDS.values())
    (session, *kinds), known = msgspec.json.schema_components(types, ref_template="{name}")
    items = [_item(kind, _plain(told, known)) for kind, told in zip(KINDS, kinds, strict=True)]
    return {
        "type": "object",
        "required": ["session", "events"],
        "properties": {
            "sent_at": {
                "type": "string",
                "nullable": True,
                "description": "The client's clock at sending (RFC 3339); times are shifted by its error.",
            },
            "origin": {"type": "string", "default": "hook", "description": "hook or transcript"},
            "session": _plain(session, known),
            "events": {"type": "array", "maxItems": MOST_EVENTS, "items": {"oneOf": items}},
        },
    }


def _item(kind: str, told: dict[str, Any]) -> dict[str, Any]:
    """One kind of event: which fields it may carry. A field of another type rejects this item alone."""
    fields = {name: {**schema, **_HINTS.get(name, {})} for name, schema in told["properties"].items()}
    return {**told, "required": ["uid", "kind"], "properties": {"kind": {"type": "string", "enum": [kind]}, **fields}}


def _plain(told: Any, known: dict[str, Any]) -> Any:
    """As OpenAPI 3.0 says it: no references to look up, "or null" as ``nullable``."""
    if isinstance(told, list):
        return [_plain(one, known) for one in told]
    if not isinstance(told, dict):
        return told
    if "$ref" in told:
        return _plain(known[told["$ref"]], known)
    if "anyOf" in told:
        (one,) = [choice for choice in told["anyOf"] if choice != {"type": "null"}]
        return {**_plain(one, known), "nullable": True}
    # A default that is null says no more than leaving it out.
    kept = {name: one for name, one in told.items() if not (name == "required" and not one) and one is not None}
    return {name: _plain(one, known) for name, one in kept.items()}


EVENTS = {"application/json": _events_request()}


class Rejected(serializers.Serializer):
    index = serializers.IntegerField()
    problem = serializers.DictField()


class Receipt(serializers.Serializer):
    session = serializers.UUIDField(allow_null=True)
    url = serializers.URLField(allow_null=True)
    accepted = serializers.IntegerField()
    completed = serializers.IntegerField()
    duplicates = serializers.IntegerField()
    rejected = Rejected(many=True)
    redactions = serializers.DictField(child=serializers.IntegerField())
    last_seq = serializers.IntegerField()
    message = serializers.CharField(required=False, help_text="What to tell the person who runs this client.")
