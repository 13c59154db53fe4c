"""Which proxy the environment means for an address, and what it is told."""

from __future__ import annotations

import pytest

from stash_client import api
from stash_client.api.connection import parts_of, proxy_for
from tests.client.api.scripted import said, scripted

_NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in _NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


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
    found = proxy_for(parts_of(url))
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
        ("https://a.test:8443/", "a.test:8443", False),
        ("https://a.test/", ",", True),
    ],
)
def test_hosts_that_need_no_proxy(url, listed, goes_through, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://p.test:3128")
    monkeypatch.setenv("NO_PROXY", listed)
    assert (proxy_for(parts_of(url)) is not None) == goes_through


@pytest.mark.parametrize("proxy", ["https://p.test", "socks5://p.test"])
def test_a_proxy_that_is_not_spoken_to_is_said(proxy, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(api.Unreachable):
        proxy_for(parts_of("https://a.test/"))


def test_a_proxy_gets_the_whole_address_and_its_own_password(monkeypatch):
    with scripted([said(b'{"a":1}')]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://us%40er:p%3Aw@127.0.0.1:{proxy.port}")
        assert api.get("http://stash.test/x?y=1", key="stash_k").body == {"a": 1}
    lines = proxy.asked[0].decode().split("\r\n")
    assert lines[0] == "GET http://stash.test/x?y=1 HTTP/1.1"
    assert {"Host: stash.test", "Proxy-Authorization: Basic dXNAZXI6cDp3"} <= set(lines)


def test_a_proxy_is_asked_for_a_tunnel_to_a_secure_server_and_never_sees_the_key(monkeypatch):
    with scripted([said(status="403 Forbidden")]) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        with pytest.raises(api.Unreachable):
            api.get("https://stash.test/x", key="stash_k")
    assert proxy.asked[0].startswith(b"CONNECT stash.test:443 HTTP/1.")
    assert b"stash_k" not in proxy.asked[0]
