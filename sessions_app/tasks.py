"""Background work on sessions; arguments are ids only, so that a queued task never holds captured text."""

from __future__ import annotations

from django.utils import timezone

from sessions_app.services.ingest import sweep_silence


def sweep() -> int:
    """Every minute: sessions that fell silent become idle, then ended. Returns how many changed."""
    return sweep_silence(now=timezone.now())
