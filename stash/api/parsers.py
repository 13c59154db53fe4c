"""JSON bodies for serializers: the same limits and the same gzip as everywhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from rest_framework.parsers import BaseParser

from stash.api.bodies import read_body
from stash.errors import BadRequest


class JSON(BaseParser):
    """DRF's own reads without a limit, takes no gzip and fails on deep nesting."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        assert parser_context is not None
        body = read_body(parser_context["request"]._request)
        try:
            return json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
        except RecursionError:
            raise BadRequest("The JSON is nested too deeply.", code="bad_json") from None
        except ValueError as error:
            raise BadRequest(f"The body is not JSON: {error}", code="bad_json") from None


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")
