"""The only door for outgoing requests.

https only; the name is resolved once, every address it has must be public (or allowed by the operator), and the
connection goes to the address that was checked, so that a second answer of the name server changes nothing. Redirects
are followed within the same host only; size and time are bounded.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from django.conf import settings

from stash.errors import StashError

MAX_BYTES = 4 * 2**20
TIMEOUT = 10.0
"""Seconds for the whole exchange, redirects included."""
_MAX_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)
_CHUNK = 64 * 1024

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class OutboundRefused(StashError):
    code, status, title = "outbound_refused", 422, "This address may not be reached from the server"


class OutboundFailed(StashError):
    code, status, title = "outbound_failed", 502, "The other server did not answer as it should"


@dataclass(frozen=True)
class Answer:
    """What came back; ``headers`` with lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def request(
    method: str,
    url: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = MAX_BYTES,
    timeout: float = TIMEOUT,
) -> Answer:
    """One exchange. Raises OutboundRefused before anything is sent, OutboundFailed for all that goes wrong later."""
    deadline = time.monotonic() + timeout
    for _ in range(_MAX_REDIRECTS + 1):
        parts = _checked(url)
        address = _resolve(parts.hostname or "", parts.port or 443)
        answer = _exchange(method, parts, address, body, headers or {}, max_bytes, deadline)
        target = answer.headers.get("location")
        if answer.status not in _REDIRECTS or not target:
            return answer
        url = _same_host(url, target)
        if answer.status == 303:
            method, body = "GET", None
    raise OutboundFailed("Too many redirects.")


def is_public(address: Address) -> bool:
    """Reachable by everybody; what an IPv6 address carries of IPv4 counts as that."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or _nat64(address)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback
    )


def _nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    inside = address in ipaddress.IPv6Network("64:ff9b::/96")
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if inside else None


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise OutboundRefused("This is not an address.") from None
    if parts.scheme != "https" or not parts.hostname:
        raise OutboundRefused("Only https addresses are reached.")
    if parts.username is not None or port == 0 or any(ord(letter) <= 32 for letter in url):
        raise OutboundRefused("An address holds no credentials and no blanks.")
    return parts


def _resolve(host: str, port: int) -> Address:
    """The address to connect to. One private address among several refuses the name."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        raise OutboundFailed(f"{host} has no address.") from None
    addresses = [ipaddress.ip_address(entry[4][0]) for entry in found if entry[0] in (socket.AF_INET, socket.AF_INET6)]
    if not addresses:
        raise OutboundFailed(f"{host} has no address.")
    if not all(is_public(address) or _allowed(host, address) for address in addresses):
        raise OutboundRefused(f"{host} is not a public address. An operator can allow it with STASH_OUTBOUND_ALLOW.")
    return addresses[0]


def _allowed(host: str, address: Address) -> bool:
    for entry in settings.OUTBOUND_ALLOW:
        if entry.lower() == host.lower():
            return True
        try:
            network = ipaddress.ip_network(entry, strict=False)
        except ValueError:
            continue
        if address in network:
            return True
    return False


def _same_host(url: str, target: str) -> str:
    there = urljoin(url, target)
    before, after = urlsplit(url), _checked(there)
    if (before.hostname, before.port or 443) != (after.hostname, after.port or 443):
        raise OutboundRefused(f"{before.hostname} redirects to another host.")
    return there


class _TimedSocket(ssl.SSLSocket):
    """Every read ends by the deadline: a plain timeout would start anew with each byte that drips in."""

    deadline = 0.0

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(_left(self.deadline))
        return super().recv_into(buffer, nbytes, flags)


class _Pinned(http.client.HTTPSConnection):
    """Connects to a given address, but speaks TLS and HTTP to the name."""

    def __init__(self, host: str, port: int, address: Address, deadline: float) -> None:
        self.tls = ssl.create_default_context()
        self.tls.sslsocket_class = _TimedSocket
        self.address, self.deadline = address, deadline
        super().__init__(host, port, timeout=_left(deadline), context=self.tls)

    def connect(self) -> None:
        plain = socket.create_connection((str(self.address), self.port), _left(self.deadline))
        self.sock = self.tls.wrap_socket(plain, server_hostname=self.host)
        self.sock.deadline = self.deadline  # type: ignore[attr-defined]


def _exchange(
    method: str,
    parts: SplitResult,
    address: Address,
    body: bytes | None,
    headers: Mapping[str, str],
    max_bytes: int,
    deadline: float,
) -> Answer:
    connection = _Pinned(parts.hostname or "", parts.port or 443, address, deadline)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, {"User-Agent": "Stash", "Accept-Encoding": "identity", **headers})
        response = connection.getresponse()
        content = _bounded(response, max_bytes)
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, content)
    except (OSError, http.client.HTTPException) as error:
        raise OutboundFailed(f"{parts.hostname} did not answer ({type(error).__name__}).") from None
    finally:
        connection.close()


def _bounded(response: http.client.HTTPResponse, max_bytes: int) -> bytes:
    content = b""
    while True:
        chunk = response.read1(_CHUNK)
        content += chunk
        if len(content) > max_bytes:
            raise OutboundFailed(f"The answer is larger than {max_bytes} bytes.")
        if not chunk:
            return content


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise OutboundFailed("The other server took too long.")
    return left
