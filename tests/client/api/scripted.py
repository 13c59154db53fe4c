"""A server on a socket that says exactly what it is told, byte by byte, and keeps what it was asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Scripted:
    """``asked``: the bytes of every request, in order. ``connections``: how many were opened."""

    def __init__(self, say: Callable[[socket.socket, bytes], object] | list[bytes]) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.say, self.asked, self.connections = say, [], 0
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection:
            while (request := read_request(connection)) and self._answer(connection, request):
                pass

    def _answer(self, connection: socket.socket, request: bytes) -> bool:
        self.asked.append(request)
        try:
            if callable(self.say):
                return self.say(connection, request) is not None
            answer = self.say.pop(0) if len(self.say) > 1 else self.say[0]
            connection.sendall(answer)
        except OSError:
            return False
        return b"\r\nContent-Length:" in answer and b"close" not in answer


def read_request(connection: socket.socket) -> bytes:
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return b""
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (int(x.split(b":")[1]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length")), 0
        )
        while len(body) < length:
            body += connection.recv(65536)
    except OSError:
        return b""
    return head + b"\r\n\r\n" + body


@contextmanager
def scripted(say: Callable[[socket.socket, bytes], object] | list[bytes]) -> Iterator[Scripted]:
    server = Scripted(say)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.listener.shutdown(socket.SHUT_RDWR)
        server.listener.close()
        thread.join(5)


def said(body: bytes = b"{}", *, status: str = "200 OK", headers: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body
