"""What the search page was asked: a question, and the facets chosen beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlencode

from django.http import QueryDict

from stash.search.queries import MOST

CHOSEN = ("kind", "project", "by", "harness", "since")
_MOST_SKIPPED = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """As it stands in the address, so that an address can be shared."""

    q: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)
    skipped: int = 0

    @classmethod
    def of(cls, query: QueryDict) -> Self:
        chosen = {name: value[:200] for name in CHOSEN if (value := query.get(name, ""))}
        skipped = query.get("from", "")
        start = int(skipped) if skipped.isdecimal() and len(skipped) < 5 else 0
        return cls(query.get("q", "")[:MOST], chosen, min(start, _MOST_SKIPPED))

    def __bool__(self) -> bool:
        return bool(self.q.strip() or self.chosen)

    def with_(self, **changes: str) -> str:
        """The address of the same question with other facets; an empty value drops one."""
        chosen = {**self.chosen, **changes}
        return "?" + urlencode({"q": self.q, **{name: value for name, value in chosen.items() if value}})
