"""Rate limits: a token bucket per key, or per address without one, held in each web process (no query, no lock)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # DRF imports this module while it loads its views
    from rest_framework.views import APIView

_MOST_BUCKETS = 20_000


class PerKey(BaseThrottle):
    """``settings.RATE_LIMITS[view.rate]`` requests a minute, all of them at once if the minute before was quiet."""

    buckets: ClassVar[dict[tuple[str, str], tuple[float, float]]] = {}
    _wait = 1.0

    def allow_request(self, request: Request, view: APIView) -> bool:
        rate = getattr(view, "rate", "other")
        limit = float(settings.RATE_LIMITS[rate])
        actor = getattr(request, "actor", None)
        who = str(actor.key_id or actor.user_id) if actor else self.get_ident(request) or ""
        left, then = self.buckets.get((rate, who), (limit, 0.0))
        now = time.monotonic()
        left = min(limit, left + (now - then) * limit / 60)
        allowed = left >= 1
        if len(self.buckets) > _MOST_BUCKETS:
            self.buckets.clear()
        self.buckets[rate, who] = (left - 1 if allowed else left, now)
        self._wait = (1 - left) * 60 / limit
        return allowed

    def wait(self) -> float:
        return self._wait
