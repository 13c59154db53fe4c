"""Which proxy the environment means for an address."""

from __future__ import annotations

import pytest

from stash_client.api.addresses import address_of, proxy_for
from stash_client.api.errors import Unreachable

_NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in _NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    "url, parts",
    [
        ("http://a.test", ("http", "a.test", 80, "/", "a.test")),
        ("HTTPS://A.test:8443/x?y=1#z", ("https", "A.test", 8443, "/x?y=1", "A.test:8443")),
        ("http://[::1]:8000/", ("http", "::1", 8000, "/", "[::1]:8000")),
        ("https://a.test?x=1", ("https", "a.test", 443, "/?x=1", "a.test")),
        ("http://bücher.test/", ("http", "xn--bcher-kva.test", 80, "/", "xn--bcher-kva.test")),
    ],
)
def test_parts_of_an_address(url, parts):
    found = address_of(url)
    assert (found.scheme, found.host, found.port, found.target, found.netloc) == parts


@pytest.mark.parametrize(
    "url, environ, proxy",
    [
        ("https://a.test/", {}, None),
        ("https://a.test/", {"HTTPS_PROXY": "http://p.test:3128"}, "p.test:3128"),
        ("https://a.test/", {"https_proxy": "p.test:3128", "HTTPS_PROXY": "http://q.test"}, "p.test:3128"),
        ("http://a.test/", {"HTTPS_PROXY": "http://p.test:3128"}, None),
        ("http://a.test/", {"HTTP_PROXY": "http://p.test:3128"}, "p.test:3128"),
        ("http://a.test/", {"HTTP_PROXY": "http://p.test:3128", "REQUEST_METHOD": "GET"}, None),
        ("http://a.test/", {"ALL_PROXY": "http://p.test:3128"}, "p.test:3128"),
        ("https://127.0.0.1/", {"ALL_PROXY": "http://p.test:3128"}, None),
        ("https://localhost:8000/", {"ALL_PROXY": "http://p.test:3128"}, None),
    ],
)
def test_the_proxy_of_an_address(url, environ, proxy, monkeypatch):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    found = proxy_for(address_of(url))
    assert (found and found.netloc) == proxy


@pytest.mark.parametrize(
    "url, listed, goes_through",
    [
        ("https://a.test/", "b.test", True),
        ("https://a.test/", "a.test", False),
        ("https://sub.a.test/", "a.test", False),
        ("https://sub.a.test/", ".a.test", False),
        ("https://xa.test/", "a.test", True),
        ("https://a.test/", "b.test, A.TEST", False),
        ("https://a.test/", "*", False),
        ("https://a.test/", "*.test", False),
        ("https://a.test:8443/", "a.test:8443", False),
        ("https://a.test/", "a.test:8443", True),
        ("https://10.1.2.3/", "10.0.0.0/8", False),
        ("https://11.1.2.3/", "10.0.0.0/8", True),
        ("https://a.test/", "10.0.0.0/8", True),
        ("https://[fd00::1]/", "fd00::/8", False),
        ("https://a.test/", ",", True),
    ],
)
def test_hosts_that_need_no_proxy(url, listed, goes_through, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://p.test:3128")
    monkeypatch.setenv("NO_PROXY", listed)
    assert (proxy_for(address_of(url)) is not None) == goes_through


@pytest.mark.parametrize("proxy", ["https://p.test", "socks5://p.test"])
def test_a_proxy_that_is_not_spoken_to_is_said(proxy, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(Unreachable):
        proxy_for(address_of("https://a.test/"))
