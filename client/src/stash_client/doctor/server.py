"""Whether each server answers, knows this machine's key and takes this version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stash_client import __version__, api, service
from stash_client.accounts import Account
from stash_client.doctor.findings import NOTE, Check, Finding
from stash_client.standing import Standing

_PATIENCE = 6.0
_CLOCK_ERROR = 120


def answering(now: Standing) -> Iterator[Finding]:
    if not now.known.all:
        yield Finding("not_signed_in", "This machine is not signed in.", fix="stash signin URL")
    for account in now.known.all:
        yield from _of(account)


def _of(account: Account) -> Iterator[Finding]:
    try:
        service.me(account.url, account.key, seconds=_PATIENCE)
        yield from _versions(account)
        yield from _clocks(account)
    except api.Unreachable as trouble:
        what = f"{account.url} does not answer. What is captured waits here; nothing is lost."
        fix = "Look whether the address is right and the server runs; behind a proxy set HTTPS_PROXY."
        yield Finding("server_unreachable", what, str(trouble), fix)
    except api.Refused as refusal:
        yield _refused(account, refusal)


def _refused(account: Account, refusal: api.Refused) -> Finding:
    if refusal.status == 401:
        what = f"{account.url} no longer knows this machine's key."
        return Finding("signed_out", what, str(refusal), f"stash signin {account.url}")
    if refusal.is_ours:
        return Finding(
            "server_refuses", f"{account.url} refuses this machine.", str(refusal), "Ask an admin of the team."
        )
    what = f"At {account.url} something else answers than a Stash server."
    return Finding("not_a_server", what, f"HTTP {refusal.status}: {refusal}", "Look whether the address is right.")


def _versions(account: Account) -> Iterator[Finding]:
    try:
        said = service.client_config(account, seconds=_PATIENCE)
    except api.Refused:
        return
    least, latest = str(said.get("minimum_version") or ""), str(said.get("latest_version") or "")
    if older(__version__, least):
        what = f"This client is older than {account.url} wants."
        yield Finding("version_skew", what, f"{__version__}, at least {least} is needed", "stash upgrade")
    elif older(__version__, latest):
        what = f"{account.url} has a newer client."
        yield Finding("upgrade", what, f"{__version__}, there is {latest}", "stash upgrade", weight=NOTE)


def older(one: str, other: str) -> bool:
    """By the numbers in front; what has none is not compared."""
    return bool(_numbers(one) and _numbers(other)) and _numbers(one) < _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d{1,6}(?:\.\d{1,6})*", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def _clocks(account: Account) -> Iterator[Finding]:
    error = service.ahead(account).total_seconds()
    if abs(error) > _CLOCK_ERROR:
        side = "behind" if error > 0 else "ahead of"
        what = f"The clock of this machine is {abs(int(error))} s {side} the server's."
        yield Finding("clock", what, account.url, "Let the system set the time from the network.", weight=NOTE)


CHECKS: tuple[Check, ...] = (answering,)
