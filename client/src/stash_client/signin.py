"""Signing a machine in: the device flow of RFC 8628 and its exchange for the machine's own key, or a key given."""

from __future__ import annotations

import ipaddress
import platform
import socket
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from stash_client import __version__, api, service
from stash_client.accounts import Account, Accounts

_CLIENT = "stash-cli"
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class NotSignedIn(Exception):
    """The person refused, the code expired before anybody confirmed it, or this is no server of ours."""


def address(text: str) -> str:
    """As a person types it; https unless it is this machine. Raises ValueError."""
    url = text.strip().rstrip("/")
    if "://" not in url:
        url = f"{'http' if is_near(url) else 'https'}://{url}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{text!r} is not the address of a server")
    if parts.username or parts.password:
        raise ValueError("leave user and password out of the address")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def is_near(url: str) -> bool:
    """Whether the way there stays on this machine."""
    host = urlsplit(url if "://" in url else f"http://{url}").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class LabelTaken(Exception):
    """``account`` has that label, and is another server or person."""

    def __init__(self, account: Account) -> None:
        super().__init__(account.label)
        self.account = account


def with_key(url: str, key: str, *, machine_name: str = "") -> Account:
    """Sign in with a key somebody made. Raises NotSignedIn, api.Unreachable."""
    try:
        mine = service.me(url, key)
    except api.Refused as refusal:
        raise NotSignedIn("the key is not valid here" if refusal.status == 401 else str(refusal)) from None
    name = mine.machine_name or machine_name or socket.gethostname()
    return Account("", url, key, mine.machine or str(uuid.uuid4()), name, mine.username, mine.team)


def settled(account: Account, known: Accounts, *, label: str = "", moved: bool = False) -> Account:
    """With the label it has here: the same as before, the one a person wants, or the server's name.

    Signing in again keeps the machine's id: folders without a remote are known by it. ``moved``: the server of that
    label has a new address. Raises LabelTaken: consents name a label and must not lead to somebody else.
    """
    same = next((other for other in known.all if _who(other) == _who(account) and label in ("", other.label)), None)
    if same is not None:
        return replace(account, label=same.label, machine=same.machine)
    taken = known.named(label) if label else None
    if taken is not None:
        if not moved or (taken.user, taken.team) != (account.user, account.team):
            raise LabelTaken(taken)
        return replace(account, label=label, machine=taken.machine)
    host = urlsplit(account.url).netloc
    choices = (label, host, f"{account.team}@{host}", f"{account.user}@{account.team}@{host}")
    free = next((one for one in choices if one and known.named(one) is None), "")
    return replace(account, label=free or f"{host}-{uuid.uuid4().hex[:6]}")


def _who(account: Account) -> tuple[str, str, str]:
    return account.url, account.user, account.team


def sign_in(url: str, *, tell: Callable[[str, str], None], machine_name: str | None = None) -> Account:
    """Wait until a person confirms in a browser. ``tell(address, code)`` shows them where. Not ``settled`` yet.

    Raises NotSignedIn, and api.Unreachable when the server does not answer at the start.
    """
    url = url.rstrip("/")
    name = machine_name or socket.gethostname()
    try:
        started = api.post_form(f"{url}/identity/o/api/device/code", {"client_id": _CLIENT, "machine": name})
    except api.Refused as refusal:
        if refusal.is_ours or "error" in refusal.problem:
            raise
        started = {}
    if "device_code" not in started:
        raise NotSignedIn(f"{url} is not a Stash server")
    tell(started["verification_uri_complete"], started["user_code"])
    token = _wait(url, started["device_code"], int(started.get("interval", 5)), int(started.get("expires_in", 300)))
    system = f"{platform.system()}-{platform.machine()}".lower()
    facts = {"name": name, "platform": system, "client_version": __version__}
    got = api.post(f"{url}/api/v1/machines", facts, key=token)
    return Account(
        label="",
        url=url,
        key=got["key"],
        machine=str(got["machine"]["id"]),
        machine_name=got["machine"]["name"],
        user=got["user"]["username"],
        team=got["team"]["slug"],
    )


def _wait(url: str, device_code: str, interval: int, seconds: int) -> str:
    """The access token, once it exists; polls as slowly as the server asks."""
    fields = {"grant_type": _GRANT, "device_code": device_code, "client_id": _CLIENT}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(interval)
        try:
            return str(api.post_form(f"{url}/identity/o/api/token", fields)["access_token"])
        except api.Unreachable:
            continue
        except api.Refused as refusal:
            reason = refusal.problem.get("error")
            if reason == "slow_down":
                interval += 5
            elif reason != "authorization_pending":
                raise NotSignedIn(str(refusal)) from None
    raise NotSignedIn("nobody confirmed the code in time")
