"""Where a request goes: the parts of an address, and the proxy that the environment names for it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Optional

from stash_client.api.errors import Unreachable

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?:(?P<user>[^@/?#]*)@)?(?:\[(?P<six>[0-9a-fA-F:.%]+)\]|(?P<host>[^:/?#\[\]@\s]+))"
    r"(?::(?P<port>\d{1,5}))?(?P<rest>[/?][^#]*)?(?:#.*)?",
    re.IGNORECASE,
)
_UNPRINTABLE = re.compile(r"[^!-~]")


@dataclass(frozen=True)
class Address:
    """``target``: path and query, as the request line has them. ``user``: "name:password" of a proxy, as written."""

    scheme: str
    host: str
    port: int
    target: str
    user: str = ""

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def netloc(self) -> str:
        usual = 443 if self.secure else 80
        return self.bracketed if self.port == usual else f"{self.bracketed}:{self.port}"


def address_of(url: str) -> Address:
    """The parts of an http or https address. Raises Unreachable for anything else."""
    match = _ADDRESS.fullmatch(url)
    port = int(match["port"] or (443 if match["scheme"].lower() == "https" else 80)) if match else 0
    if match is None or not 0 < port < 65536 or _UNPRINTABLE.search(match["rest"] or ""):
        raise Unreachable(f"{url} is not an http address")
    rest = match["rest"] or "/"
    target = rest if rest.startswith("/") else f"/{rest}"
    return Address(match["scheme"].lower(), _ascii(match["six"] or match["host"]), port, target, match["user"] or "")


def _ascii(host: str) -> str:
    try:
        plain = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        plain = ""
    if not all(0 < len(label) < 64 for label in plain.rstrip(".").split(".")):
        raise Unreachable(f"{host} is not a host name")
    return plain


def proxy_for(address: Address) -> Optional[Address]:
    """The proxy of ``HTTPS_PROXY`` or ``HTTP_PROXY``, ``ALL_PROXY`` for both; lower case wins.

    None where none is named, for hosts in ``NO_PROXY`` and for this machine itself. Raises Unreachable for a kind of
    proxy that this client does not speak to.
    """
    if _is_here(address.host) or _is_exempt(address, _variable("no_proxy")):
        return None
    told = _variable(f"{address.scheme}_proxy") or _variable("all_proxy")
    if not told:
        return None
    proxy = address_of(told if "://" in told else f"http://{told}")
    if proxy.secure:
        raise Unreachable(f"the proxy {proxy.netloc} would be spoken to over TLS; name it as http://")
    return proxy


def _variable(name: str) -> str:
    """A CGI program gets HTTP_PROXY from whoever sends it a ``Proxy`` header."""
    value = os.environ.get(name, "")
    if not value and not (name == "http_proxy" and "REQUEST_METHOD" in os.environ):
        value = os.environ.get(name.upper(), "")
    return value.strip()


def _is_here(host: str) -> bool:
    return host.lower() in ("localhost", "::1") or host.startswith("127.")


def _is_exempt(address: Address, listed: str) -> bool:
    """``NO_PROXY``: hosts with their subdomains, with or without a dot before and a port after; networks; ``*``."""
    host = address.host.lower()
    for item in filter(None, (part.strip().lower() for part in listed.split(","))):
        name, _, port = item.partition(":") if item.count(":") == 1 else (item, "", "")
        if port and port != str(address.port):
            continue
        name = name.lstrip("*.").strip("[]")
        if item == "*" or (name and (host == name or host.endswith(f".{name}"))) or _is_within(host, item):
            return True
    return False


def _is_within(host: str, network: str) -> bool:
    if "/" not in network:
        return False
    import ipaddress

    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
