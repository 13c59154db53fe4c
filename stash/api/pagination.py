"""Cursor pagination in the shape of the contract: ``{"results": [...], "next": "<cursor>"|null}``."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from rest_framework.pagination import CursorPagination
from rest_framework.response import Response


class Cursor(CursorPagination):
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    ordering = "-id"

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": _cursor(self.get_next_link())})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {
                "results": schema,
                "next": {"type": "string", "nullable": True, "description": "Send it back as ?cursor="},
            },
        }


def _cursor(link: str | None) -> str | None:
    return parse_qs(urlsplit(link).query)["cursor"][0] if link else None
