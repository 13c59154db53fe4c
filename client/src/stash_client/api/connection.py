"""A connection of the standard library's HTTP client: directly or through a proxy, and never longer than allowed."""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Optional
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from stash_client.api.errors import Unreachable

FAULTS = (OSError, http.client.HTTPException, ValueError)
"""What a broken address, connection or answer raises on the way."""
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt")
"""Where systems keep their trust store, for a Python that was built elsewhere and looks in another place."""


class Connection:
    """To the server of one address, or to the proxy the environment or system names for it.

    Connects when first asked. Raises Unreachable for an address that is none.
    """

    def __init__(self, url: str, seconds: float) -> None:
        address = parts_of(url)
        self.place = (address.scheme, address.netloc)
        proxy = proxy_for(address)
        secure = address.scheme == "https"
        to = proxy or address
        self._prefix = f"http://{address.netloc}" if proxy and not secure else ""
        self._extra = authorization(proxy) if proxy and not secure else {}
        if secure:
            made = http.client.HTTPSConnection(_host(to), to.port or 443, timeout=seconds, context=_context())
        else:
            made = http.client.HTTPConnection(_host(to), to.port or 80, timeout=seconds)
        if proxy and secure:
            made.set_tunnel(_host(address), address.port or 443, authorization(proxy))
        self.http = made

    def ask(self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes]) -> http.client.HTTPResponse:
        """The head of the answer. Raises any of FAULTS."""
        address = parts_of(url)
        target = f"{self._prefix}{address.path or '/'}{'?' if address.query else ''}{address.query}"
        self.http.request(method, target, body, {**headers, **self._extra})
        response = self.http.getresponse()
        if response.msg.defects:  # cut off among its headers: nothing after them can be believed
            raise http.client.HTTPException("the head of the answer is broken")
        return response

    def close(self) -> None:
        self.http.close()

    @contextmanager
    def until(self, moment: float) -> Iterator[None]:
        """Whatever is read or written inside ends at that moment of the monotonic clock, however slowly it drips."""
        left = moment - time.monotonic()
        if left <= 0:
            raise Unreachable("the time is over")
        self.http.timeout = left
        if self.http.sock:
            self.http.sock.settimeout(left)
        timer = threading.Timer(left, self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (*FAULTS, Unreachable):
            if time.monotonic() >= moment:
                raise Unreachable("the time is over") from None
            raise
        finally:
            timer.cancel()

    def _cut(self) -> None:
        sock = self.http.sock
        if sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)  # of the line: TLS says good-bye only when asked to


def parts_of(url: str) -> SplitResult:
    """The parts of an http or https address. Raises Unreachable for anything else."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or any(not "!" <= c <= "~" for c in url):
        raise Unreachable(f"{url} is not an http address")
    return parts


def proxy_for(address: SplitResult) -> Optional[SplitResult]:
    """From ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` or the system's settings; None for none.

    This machine itself is never asked through one. Raises Unreachable for a kind of proxy not spoken to.
    """
    host = address.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or not _some_proxy():
        return None
    from urllib.request import getproxies, proxy_bypass  # costs as much as the rest of a command's start

    if proxy_bypass(address.netloc.rpartition("@")[2]):
        return None
    told = getproxies()
    named = told.get(address.scheme) or told.get("all")
    if not named:
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise Unreachable(f"the proxy {proxy.hostname or named} cannot be used; name it as http://host:port")
    return proxy


def _some_proxy() -> bool:
    """Whether one may be named at all; where not, nothing need be loaded to read it."""
    return sys.platform in ("darwin", "win32") or any(name.lower().endswith("_proxy") for name in os.environ)


def authorization(proxy: SplitResult) -> dict[str, str]:
    """The header that opens a proxy. What the address holds is percent-encoded."""
    user, at, _ = proxy.netloc.rpartition("@")
    if not at:
        return {}
    return {"Proxy-Authorization": f"Basic {base64.b64encode(unquote_to_bytes(user)).decode()}"}


def _host(address: SplitResult) -> str:
    return address.hostname or ""


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
