"""Long answers a piece at a time, under WSGI and ASGI alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse


def streamed(request: HttpRequest, pieces: Iterator[str], content_type: str) -> StreamingHttpResponse:
    """``pieces`` may read the database; under ASGI each is made in a thread, or all would be made at once."""
    content = _in_threads(pieces) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(content, content_type=content_type)


async def _in_threads(pieces: Iterator[str]) -> AsyncIterator[str]:
    while (piece := await sync_to_async(_next)(pieces)) is not None:
        yield piece


def _next(pieces: Iterator[str]) -> str | None:
    return next(pieces, None)
