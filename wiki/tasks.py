"""What the queue does for wikis."""

from __future__ import annotations

from wiki import services


def sweep() -> None:
    services.sweep()
