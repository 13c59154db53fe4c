"""A tool's result is an object, usually written as text."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses import content


def read_result(value: JSON) -> JSON:
    """The object; of an edit only its diff, which is all it says."""
    result = content.parse(value) if isinstance(value, str) and value[:1] == "{" else value
    if isinstance(result, Mapping) and isinstance(result.get("diff"), str) and not result.get("error"):
        return {"fileDiff": result["diff"]}
    return result if isinstance(result, Mapping) else value
