"""Frames as servers send them, byte by byte; the real server is listened to in test_tail.py."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
import struct

import pytest

from stash_client.api.errors import Unreachable
from stash_client.api.websocket import Closed, NoWebSocket, listen
from tests.client.api.scripted import said, scripted


def frame(kind: int, data: bytes, *, last: bool = True) -> bytes:
    if len(data) < 126:
        length = bytes([len(data)])
    else:
        length = struct.pack("!BH", 126, len(data)) if len(data) < 65536 else struct.pack("!BQ", 127, len(data))
    return bytes([kind | (0x80 if last else 0)]) + length + data


def accepting(*frames: bytes, then=None):
    def say(connection: socket.socket, request: bytes) -> None:
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", request).group(1)
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        connection.sendall(head + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n" + b"".join(frames))
        if then:
            then(connection)

    return say


def heard(url: str) -> tuple[list[str], Exception]:
    texts = []
    with listen(f"{url}/ws/", {"Authorization": "Bearer stash_k"}) as listener:
        try:
            for text in listener:
                texts.append(text)
        except (Closed, Unreachable) as end:
            return texts, end
    raise AssertionError("a stream has no end of its own")


CLOSE = frame(8, struct.pack("!H", 4404))


def test_texts_of_every_length_and_in_pieces():
    long, longer = "ä" * 300, "x" * 70_000
    frames = [frame(1, b"one"), frame(1, long.encode()), frame(1, longer.encode()),
              frame(1, b"in ", last=False), frame(9, b"still there?"), frame(0, b"pieces"), CLOSE]  # fmt: skip
    with scripted(accepting(*frames)) as server:
        texts, end = heard(server.url)
    assert texts == ["one", long, longer, "in pieces"]
    assert isinstance(end, Closed)
    assert end.code == 4404
    assert b"Authorization: Bearer stash_k" in server.asked[0]


def test_a_ping_is_answered_masked_with_the_same_bytes():
    answers = []

    def take(connection: socket.socket) -> None:
        answers.append(connection.recv(100))
        connection.sendall(CLOSE)

    with scripted(accepting(frame(9, b"abc"), then=take)) as server:
        heard(server.url)
    first, second, mask, data = answers[0][0], answers[0][1], answers[0][2:6], answers[0][6:9]
    assert (first, second) == (0x8A, 0x83)
    assert bytes(byte ^ mask[i] for i, byte in enumerate(data)) == b"abc"


@pytest.mark.parametrize(
    "frames", [b"", b"\x81", b"\x81\x7e\x01", b"\x81\x85abcdabcde", b"\xf1\x01a", b"\x81\x7f" + b"\xff" * 8]
)
def test_a_stream_that_breaks_or_makes_no_sense_is_unreachable(frames):
    with scripted(accepting(frames)) as server:
        texts, end = heard(server.url)
    assert (texts, type(end)) == ([], Unreachable)


@pytest.mark.parametrize("answer, error", [
    (said(status="404 Not Found"), NoWebSocket), (said(b"{}"), NoWebSocket), (said(status="426 Upgrade"), NoWebSocket),
    (b"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\n\r\n", NoWebSocket),
    (said(status="503 Busy"), Unreachable), (b"", Unreachable), (b"nonsense\r\n\r\n", Unreachable),
])  # fmt: skip
def test_what_does_not_speak_it_is_told_from_what_is_away(answer, error):
    with scripted([answer]) as server, pytest.raises(error):
        listen(f"{server.url}/ws/")
