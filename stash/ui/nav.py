"""The areas of the rail, in the order they stand there. An area shows once its URL exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse


@dataclass(frozen=True)
class Area:
    """``badge``: key into the badges of the page; ``glyph``: shape beside the number; ``keys``: the shortcut;
    ``governs``: for owners and admins only."""

    label: str
    icon: str
    url_name: str
    badge: str = ""
    glyph: str = ""
    keys: str = ""
    governs: bool = False


@dataclass(frozen=True)
class Link:
    area: Area
    url: str
    current: bool
    count: int


AREAS = (
    Area("Home", "house", "home", "needs_you", "needs_you", "g h"),
    Area("Sessions", "activity", "sessions:list", "running", "running", "g s"),
    Area("Search", "search", "search"),
    Area("Wiki", "book-open", "wiki:home"),
    Area("Handoffs", "arrow-right-left", "handoffs:list", "handoffs"),
    Area("Skills", "package", "skills:list"),
    Area("Audit", "scroll-text", "accounts:audit", keys="g a", governs=True),
)


def links(
    path: str, team: str = "", badges: Mapping[str, Any] | None = None, *, governs: bool = False
) -> Iterator[Link]:
    """The areas that exist in ``team``. The current one is where ``path`` lies; home matches only itself."""
    for area in AREAS:
        if area.governs and not governs:
            continue
        url = url_or_none(area.url_name, team)
        if url is None:
            continue
        current = path == url or (area.url_name != "home" and path.startswith(url))
        yield Link(area, url, current, int((badges or {}).get(area.badge) or 0))


def url_or_none(name: str, team: str = "") -> str | None:
    """The page of that name in the team, or the one outside all teams, or None while there is neither."""
    for kwargs in [{"team": team}, {}] if team else [{}]:
        try:
            return reverse(name, kwargs=kwargs)
        except NoReverseMatch:
            continue
    return None
