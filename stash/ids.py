"""Primary keys: UUIDv7 (RFC 9562), so that new rows land at the end of every index."""

from __future__ import annotations

import uuid

import uuid6


def uuid7() -> uuid.UUID:
    return uuid.UUID(bytes=uuid6.uuid7().bytes)
