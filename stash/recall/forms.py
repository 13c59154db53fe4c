"""What is asked for on the search page: words, and choices beside them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from stash.recall.facets import FACETS
from stash.search.queries import MOST

_MOST_CHOSEN, _LONGEST, _DEEPEST = 20, 150, 400


@dataclass(frozen=True, slots=True)
class Asked:
    """``chosen``: values by facet. Whatever the address holds is a question; nothing in it is an error."""

    q: str
    chosen: dict[str, list[str]]
    start: int = 0

    @property
    def filters(self) -> dict[str, str]:
        return {name: ",".join(values) for name, values in self.chosen.items() if values}

    @property
    def asks(self) -> bool:
        return bool(self.q.strip() or self.filters)

    def address(
        self, *, start: int = 0, without: tuple[str, str] | None = None, with_: tuple[str, str] | None = None
    ) -> str:
        """The query string of this question, with one choice more or less."""
        pairs = [(name, value) for name, values in self.chosen.items() for value in values if (name, value) != without]
        pairs = [("q", self.q), *pairs, *([with_] if with_ else []), *([("start", str(start))] if start else [])]
        return f"?{urlencode([pair for pair in pairs if pair[1]])}"


def asked(query: QueryDict) -> Asked:
    chosen = {
        name: [value[:_LONGEST].replace("\0", "") for value in query.getlist(name)[:_MOST_CHOSEN] if value]
        for name in FACETS
    }
    start = query.get("start", "")
    deep = int(start) if start.isascii() and start.isdigit() and len(start) < 5 else 0
    return Asked(query.get("q", "")[:MOST].replace("\0", " "), chosen, min(deep, _DEEPEST))
