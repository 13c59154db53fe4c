"""A socket to a server: directly or through a proxy, plain or TLS, never waited for longer than the caller allows."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import time
from typing import Any, Optional

from stash_client.api.addresses import Address, proxy_for
from stash_client.api.errors import Unreachable

LONGEST_LINE = 64 * 1024
_PIECE = 64 * 1024
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt")
"""Where systems keep their trust store, for a Python that was built elsewhere and looks in another place."""


class Gone(Exception):
    """The other side closed the connection, where more was due. ``mid``: part of an answer had come."""

    def __init__(self, *, mid: bool) -> None:
        super().__init__("the connection was closed" + (" in the middle of the answer" if mid else ""))
        self.mid = mid


class Line:
    """An open connection, read through a buffer. ``until``: moment on the monotonic clock when patience ends.

    Every call may raise OSError (a timeout is one).
    """

    def __init__(self, sock: Any, until: float) -> None:
        self.sock, self.until = sock, until
        self._buffer = bytearray()

    def send(self, data: bytes) -> None:
        self.sock.settimeout(_left(self.until))
        self.sock.sendall(data)

    def more(self) -> bool:
        """Read what is there into the buffer; False at the end."""
        self.sock.settimeout(_left(self.until))
        piece = self.sock.recv(_PIECE)
        self._buffer += piece
        return bool(piece)

    def line(self) -> bytes:
        """Up to and without the end of line. Raises Gone, and Unreachable for a line that does not end."""
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if start > LONGEST_LINE:
                raise Unreachable("the answer is not HTTP")
            if not self.more():
                raise Gone(mid=start > 0)
        found = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        return found

    def some(self, most: int) -> bytes:
        """At least one byte and at most ``most``; b"" at the end."""
        if not self._buffer:
            self.more()
        found = bytes(self._buffer[:most])
        del self._buffer[:most]
        return found

    def exactly(self, count: int) -> bytes:
        """Raises Gone."""
        while len(self._buffer) < count:
            if not self.more():
                raise Gone(mid=True)
        found = bytes(self._buffer[:count])
        del self._buffer[:count]
        return found

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.sock.close()


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is over")
    return left


def open_line(address: Address, until: float) -> tuple[Line, Optional[Address]]:
    """The connection, and the proxy that must be given the whole address (plain http through a proxy).

    Raises OSError, Gone or Unreachable. Looking up a name is up to the system, which has a limit of its own.
    """
    proxy = proxy_for(address)
    sock = _connected(proxy or address, until)
    line = Line(sock, until)
    try:
        if proxy and address.secure:
            _tunnel(line, address, proxy)
        if address.secure:
            sock.settimeout(_left(until))
            line.sock = _context().wrap_socket(sock, server_hostname=address.host)
    except BaseException:
        line.close()
        raise
    return line, None if address.secure else proxy


def _connected(address: Address, until: float) -> socket.socket:
    failure: OSError = OSError(f"{address.host} has no address")
    # As bytes: for text Python would load its tables of international names, which are resolved already.
    places = socket.getaddrinfo(address.host.encode("ascii"), address.port, 0, socket.SOCK_STREAM)
    for family, kind, protocol, _, where in places:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(_left(until))
            sock.connect(where)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            sock.close()
            failure = error
    raise failure


def proxy_headers(proxy: Address) -> str:
    """The header line that opens a proxy, or "". What the address holds is percent-encoded."""
    if not proxy.user:
        return ""
    from urllib.parse import unquote_to_bytes

    return f"Proxy-Authorization: Basic {base64.b64encode(unquote_to_bytes(proxy.user)).decode()}\r\n"


def _tunnel(line: Line, address: Address, proxy: Address) -> None:
    where = f"{address.bracketed}:{address.port}"
    line.send(f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n{proxy_headers(proxy)}\r\n".encode("latin-1"))
    first = line.line().split(None, 2)
    while line.line():
        pass
    if len(first) < 2 or first[1] != b"200":
        said = first[1].decode("ascii", "replace") if len(first) > 1 else "nothing"
        raise Unreachable(f"the proxy {proxy.netloc} answered {said}")


_known: dict[tuple[str, str], Any] = {}


def _context() -> Any:
    """Certificates from ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` or the system's trust store; read once a process."""
    key = (os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", ""))
    if key not in _known:
        import ssl

        if key[0] and not os.path.isfile(key[0]):
            raise Unreachable(f"SSL_CERT_FILE names {key[0]}, which is no file")
        context = ssl.create_default_context()
        places = ssl.get_default_verify_paths()
        if not (places.cafile or places.capath) and os.name != "nt":
            for bundle in filter(os.path.isfile, _BUNDLES):
                context.load_verify_locations(bundle)
                break
        _known[key] = context
    return _known[key]
