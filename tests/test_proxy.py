from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from stash.proxy import ClientAddress


@pytest.mark.parametrize(
    "proxies, forwarded, seen",
    [
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "1.2.3.4, 203.0.113.9", "203.0.113.9"),
        (2, "1.2.3.4, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        (1, "[2001:db8::1]", "2001:db8::1"),
        (1, "", "10.0.0.1"),
        (2, "203.0.113.9", "10.0.0.1"),
        (1, "nonsense", "10.0.0.1"),
    ],
)
def test_address_is_what_our_own_proxies_appended(settings, proxies, forwarded, seen):
    settings.PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=forwarded)
    ClientAddress(lambda request: HttpResponse())(request)
    assert request.META["REMOTE_ADDR"] == seen
