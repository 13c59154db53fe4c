"""Signing a machine in: the device flow of RFC 8628, then the exchange for the machine's own key."""

from __future__ import annotations

import platform
import socket
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from stash_client import __version__, api
from stash_client.accounts import Account

_CLIENT = "stash-cli"
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class NotSignedIn(Exception):
    """The person refused, or the code expired before anybody confirmed it."""


def sign_in(url: str, *, tell: Callable[[str, str], None], machine_name: str | None = None) -> Account:
    """Wait until a person confirms in a browser. ``tell(address, code)`` shows them where.

    Raises NotSignedIn, and api.Unreachable when the server does not answer at the start.
    """
    url = url.rstrip("/")
    name = machine_name or socket.gethostname()
    started = api.post_form(f"{url}/identity/o/api/device/code", {"client_id": _CLIENT, "machine": name})
    if "device_code" not in started:
        raise NotSignedIn(f"{url} is not a Stash server")
    tell(started["verification_uri_complete"], started["user_code"])
    token = _wait(url, started["device_code"], int(started.get("interval", 5)), int(started.get("expires_in", 300)))
    system = f"{platform.system()}-{platform.machine()}".lower()
    facts = {"name": name, "platform": system, "client_version": __version__}
    got = api.post(f"{url}/api/v1/machines", facts, key=token)
    return Account(
        label=urlsplit(url).netloc,
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
