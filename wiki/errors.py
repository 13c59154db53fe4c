"""What can go wrong with pages."""

from __future__ import annotations

from typing import Any

from stash.errors import Conflict, StashError


class Stale(StashError):
    """``current``: the version there is now (ETag and text), or null."""

    code, status, title = "stale", 412, "The page is not what you think it is"


class VersionNeeded(StashError):
    code, status, title = "version_needed", 428, "Say which version you change"


class Overlapping(Conflict):
    """Two people changed the same lines."""

    code, title = "overlapping_changes", "Somebody changed the same lines"

    def __init__(self, **versions: Any) -> None:
        super().__init__("Both versions are here; put them together and save with the current ETag.", **versions)
