"""The session a command is about: named, or the one that ran last in this checkout."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass

from stash_client import accounts, api, lately, recent, service
from stash_client.accounts import Account
from stash_client.cli.here import running_here
from stash_client.cli.output import NOT_FOUND, Failed
from stash_client.recent import Recent

_LEAST = 4


@dataclass(frozen=True)
class Which:
    """``session``: the server's id, "" before it has one. ``account``: where it goes, None before sign-in."""

    harness: str
    native_id: str
    session: str
    account: Account | None
    recent: Recent | None = None

    @property
    def called(self) -> str:
        return f"{self.harness} {self.native_id[:12]}" if self.native_id else f"session {self.session[-8:]}"


def argument(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", default="", help="another than the one that ran last here")


def which(named: str) -> Which:
    """``named``: an agent's own id, or the server's, or a part of either; "" for the last one here. Raises Failed."""
    lately.collect()  # a session that has just begun is known by then
    known = accounts.load()
    if not named:
        here = running_here()
        found = next(
            (one for one in recent.all_recent() if (one.harness, one.native_id) == (here.harness, here.native_id)), None
        )
    else:
        found = _recent(named)
    if found is not None:
        account = known.named(found.server) or known.main
        return Which(found.harness, found.native_id, found.session, account, found)
    return _on_server(named, known.main)


def _recent(named: str) -> Recent | None:
    known = [one for one in recent.all_recent() if not one.parent]
    exact = [one for one in known if named in (one.native_id, one.session)]
    if exact or len(named) < _LEAST:
        return exact[0] if exact else None
    parts = [one for one in known if one.native_id.startswith(named) or _is_part(named, one.session)]
    if len(parts) > 1:
        ids = ", ".join(one.session or one.native_id for one in parts[:5])
        raise Failed(f"{named} could be several sessions.", hint=f"Give more of it: {ids}", code="ambiguous")
    return parts[0] if parts else None


def _is_part(named: str, session: str) -> bool:
    return bool(session) and (session.startswith(named) or session.replace("-", "").endswith(named.replace("-", "")))


def _on_server(named: str, account: Account | None) -> Which:
    """One that ran on another machine, by the server's whole id."""
    try:
        if account is not None and service.session_exists(account, named):
            return Which("", "", named, account)
    except api.Refused as refusal:
        if refusal.status != 404:
            raise
    raise Failed(f"There is no session {named} that you can see.", code="not_found", exit_code=NOT_FOUND)


def on_server(which: Which) -> str:
    """The server's id, asked for where this machine does not know it; "" where there is none.

    Raises api.Unreachable, api.Refused.
    """
    if which.session or which.account is None:
        return which.session
    return service.find_session(which.account, which.harness, which.native_id)
