"""Which session is meant where none is named: the one that ran last in this checkout."""

from __future__ import annotations

import os
from dataclasses import dataclass

from stash_client import accounts
from stash_client.cli.output import NOT_ALLOWED, NOT_FOUND, Failed


@dataclass(frozen=True)
class Here:
    """``session``: the server's id and ``url``, "" while the server has not answered for it."""

    harness: str
    native_id: str
    place: str
    session: str = ""
    url: str = ""


def running_here() -> Here:
    """Raises Failed where nothing was captured in this checkout."""
    from stash_client import recent
    from stash_client.checkout import checkout_of

    account = accounts.load().main
    place = checkout_of(os.getcwd(), account.machine if account else "").place
    found = recent.latest(place)
    if found is None and account is None:
        raise Failed(
            "This machine is not signed in.", hint="Run: stash signin URL", code="not_signed_in", exit_code=NOT_ALLOWED
        )
    if found is None:
        raise Failed(
            "No session was captured in this checkout yet.",
            hint="Name one: stash sessions ls shows them.",
            code="no_session_here",
            exit_code=NOT_FOUND,
        )
    return Here(found.harness, found.native_id, place, found.session, found.url)


def session_here() -> str:
    """The server's id of it. Raises Failed where there is none yet."""
    found = running_here()
    if not found.session:
        raise Failed(
            "The session that runs here has not reached the server yet.",
            hint="Run: stash status",
            code="not_sent_yet",
            exit_code=NOT_FOUND,
        )
    return found.session
