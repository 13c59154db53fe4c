"""The audit log as a download: CSV that no spreadsheet will execute, or one JSON object a line, page by page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse

from stash.audit.models import AuditEntry

_PAGE = 1000
COLUMNS = (
    "at", "actor_name", "actor_id", "channel", "machine_name", "harness", "ip", "verb", "target_type", "target_id",
    "target_name", "project_id", "facts", "id",
)  # fmt: skip


def streamed(
    request: HttpRequest,
    entries: QuerySet[AuditEntry],
    *,
    render: Callable[[Iterable[AuditEntry]], str],
    name: str,
    head: str = "",
) -> StreamingHttpResponse:
    """``render`` turns one page of entries into text; memory stays at one page."""
    pages = chain([head] if head else [], (render(page) for page in _pages(entries)))
    kind = "text/csv; charset=utf-8" if name.endswith(".csv") else "application/x-ndjson"
    content = _in_threads(pages) if isinstance(request, ASGIRequest) else pages
    response = StreamingHttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def as_csv(page: Iterable[AuditEntry]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    for entry in page:
        writer.writerow([inert(_plain(getattr(entry, column))) for column in COLUMNS])
    return text.getvalue()


def as_jsonl(page: Iterable[AuditEntry]) -> str:
    rows = ({column: getattr(entry, column) for column in COLUMNS} for entry in page)
    return "".join(json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False) + "\n" for row in rows)


def inert(cell: str) -> str:
    """A spreadsheet runs what starts with one of these; the apostrophe makes it text."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else cell


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _pages(entries: QuerySet[AuditEntry]) -> Iterator[list[AuditEntry]]:
    """Newest first by id; each page is a query of its own, so that a slow reader holds no cursor open."""
    page = list(entries[:_PAGE])
    while page:
        yield page
        page = list(entries.filter(pk__lt=page[-1].pk)[:_PAGE])


async def _in_threads(pages: Iterator[str]) -> AsyncIterator[str]:
    following = sync_to_async(lambda: next(pages, None))
    while (page := await following()) is not None:
        yield page
