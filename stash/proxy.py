"""Behind a proxy the peer is the proxy; the person's address is what the proxies we trust have appended."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class ClientAddress:
    """Middleware, with STASH_BEHIND_PROXY only. Counts from the right: what stands further left anybody can write."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
        if len(hops) >= settings.PROXIES and (address := _address(hops[-settings.PROXIES])):
            request.META["REMOTE_ADDR"] = address
        return self.get_response(request)


def _address(hop: str) -> str:
    try:
        return str(ipaddress.ip_address(hop.strip("[]")))
    except ValueError:
        return ""
