"""Answers as servers, proxies and broken networks really give them: scripted byte by byte on a socket."""

from __future__ import annotations

import gzip
import json
import socket
import time

import pytest

from stash_client import api
from tests.client.api.scripted import said, scripted

CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\n{"a"\r\n3\r\n:1}\r\n0\r\nTrailer: 1\r\n\r\n'
PACKED = gzip.compress(b'{"a":1}')
GOOD = {
    "counted": said(b'{"a":1}'),
    "chunked": CHUNKED,
    "until the end": b'HTTP/1.0 200 OK\r\n\r\n{"a":1}',
    "packed": said(PACKED, headers="Content-Encoding: gzip\r\n"),
    "bare line ends": b'HTTP/1.1 200 OK\nContent-Length: 7\n\n{"a":1}',
    "after an interim answer": b"HTTP/1.1 100 Continue\r\n\r\n" + said(b'{"a":1}'),
    "no reason": b'HTTP/1.1 200\r\nContent-Length: 7\r\n\r\n{"a":1}',
}


@pytest.mark.parametrize("answer", GOOD.values(), ids=GOOD)
def test_answers_of_every_framing_are_read(answer):
    with scripted([answer]) as server:
        assert api.post(server.url, {"x": 1}) == {"a": 1}
        assert api.get(server.url).body == {"a": 1}


BROKEN = {
    "nothing": b"",
    "not http": b"SSH-2.0-OpenSSH\r\n\r\n",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-",
    "half a body": b'HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\n{"a"',
    "half a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
    "a chunk of no size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n",
    "half packed": said(PACKED[:-9], headers="Content-Encoding: gzip\r\n"),
    "packed wrongly": said(b"plain", headers="Content-Encoding: gzip\r\n"),
    "packed as something else": said(b"x", headers="Content-Encoding: br\r\n"),
    "endless line": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,
    "endless headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
    "status of no sense": b"HTTP/1.1 2000 OK\r\n\r\n",
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
def test_broken_answers_mean_unreachable(answer):
    with scripted([answer]) as server, pytest.raises(api.Unreachable):
        api.post(server.url, {})


@pytest.mark.parametrize("body", [b"", b"no json", b"[1]", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_no_object_is_an_empty_one(body):
    with scripted([said(body)]) as server:
        assert api.post(server.url, {}) == {}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_never_followed(status):
    with scripted([said()]) as other:
        moved = said(b"", status=f"{status} Moved", headers=f"Location: {other.url}/\r\n")
        with scripted([moved]) as server, pytest.raises(api.Refused, match=other.url) as refusal:
            api.get(server.url, key="stash_secret")
        assert (refusal.value.status, refusal.value.is_ours, other.asked) == (status, False, [])


@pytest.mark.parametrize("status, error", [(400, api.Refused), (401, api.Refused), (429, api.Unreachable),
                                           (500, api.Unreachable), (503, api.Unreachable)])  # fmt: skip
def test_later_and_no_are_told_apart(status, error):
    problem = {"type": "urn:stash:problem:x", "detail": "why", "code": "x"}
    with scripted([said(json.dumps(problem).encode(), status=f"{status} X")]) as server, pytest.raises(error) as raised:
        api.post(server.url, {})
    if error is api.Refused:
        assert (str(raised.value), raised.value.is_ours, raised.value.code) == ("why", True, "x")


def test_the_request_says_who_asks_and_packs_what_is_large():
    with scripted([said()]) as server:
        api.post(f"{server.url}/a?b=c", {"text": "x" * 9000}, key="stash_k")
    head, _, body = server.asked[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /a?b=c HTTP/1.1"
    assert {f"Host: 127.0.0.1:{server.port}", "Authorization: Bearer stash_k", "Content-Encoding: gzip"} <= set(lines)
    assert json.loads(gzip.decompress(body)) == {"text": "x" * 9000}


def test_what_did_not_change_is_not_sent_again():
    first, second = (
        said(b'{"a":1}', headers='ETag: "v1"\r\n'),
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
    )
    with scripted([first, second]) as server:
        got = api.get(server.url)
        assert (got.body, got.etag) == ({"a": 1}, '"v1"')
        again = api.get(server.url, etag=got.etag)
    assert (again.body, again.etag) == (None, '"v1"')
    assert b'If-None-Match: "v1"' in server.asked[1]


def test_only_what_is_harmless_to_repeat_is_tried_again():
    busy = said(status="503 Busy")
    with scripted([busy, busy, said(b'{"a":1}')]) as server:
        assert api.get(server.url, tries=3).body == {"a": 1}
    with scripted([busy, said()]) as server:
        transport = api.Transport()
        with pytest.raises(api.Unreachable):
            transport.send(api.json_request("POST", server.url, {}))
        assert len(server.asked) == 1


def test_a_server_that_asks_for_a_break_longer_than_we_have_is_not_asked_again():
    with scripted([said(status="429 Slow", headers="Retry-After: 60\r\n")]) as server:
        with pytest.raises(api.Unreachable) as raised:
            api.get(server.url, tries=3, seconds=5)
        assert (raised.value.after, len(server.asked)) == (60, 1)


def test_a_slow_answer_ends_with_our_patience():
    def drip(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            connection.sendall(b"x")
            time.sleep(0.05)

    with scripted(drip) as server, pytest.raises(api.Unreachable, match="time"):
        api.post(server.url, {}, seconds=0.4)


def test_a_transport_keeps_its_connection_and_notices_when_it_is_gone():
    transport = api.Transport()
    with scripted([said(b'{"n":1}')]) as server:
        ask = api.json_request("GET", server.url)
        assert [transport.send(ask).object()["n"] for _ in range(3)] == [1, 1, 1]
        assert server.connections == 1
    with scripted(lambda c, _: c.sendall(said(b'{"n":2}'))) as server:  # closes after each answer without saying so
        ask = api.json_request("GET", server.url)
        assert [transport.send(ask, tries=1).object()["n"] for _ in range(3)] == [2, 2, 2]
        assert server.connections == 3
    transport.close()


@pytest.mark.parametrize("url", ["ftp://x/", "file:///etc/passwd", "http://", "http:///x", "x", "http://a b/",
                                 "http://a/\r\nX: y", "http://a:0/", "http://a:99999/", "http://a..b/"])  # fmt: skip
def test_addresses_that_are_none_are_unreachable(url):
    with pytest.raises(api.Unreachable):
        api.get(url, seconds=2)


def test_a_key_with_a_line_end_cannot_add_a_header():
    with scripted([said()]) as server, pytest.raises(api.Unreachable):
        api.get(server.url, key="k\r\nX-Other: 1")
    assert server.asked == []
