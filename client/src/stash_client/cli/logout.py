"""``stash logout``: the machine's key ends on the server, and this machine forgets it. ``--server`` says which one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client import accounts, api, connecting, consent, sender, service
from stash_client.accounts import Account
from stash_client.cli.connect import not_signed_in
from stash_client.cli.consenting import server_of
from stash_client.cli.moments import counted
from stash_client.cli.output import USAGE, Failed, Output
from stash_client.outbox import Outbox

_LAST_WORDS = 5.0

EXAMPLES = ("stash logout", "stash logout --server work")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--revoke", action="store_true", help="end the key even if it was made by hand")


def run(chosen: Namespace, out: Output) -> None:
    account = accounts.load().main
    if account is None:
        raise not_signed_in()
    if accounts.is_of_environment(account.label):
        hint = "Unset STASH_URL and STASH_KEY."
        raise Failed("This account comes from the environment.", hint=hint, code="usage", exit_code=USAGE)
    waiting = _waiting(account)
    if waiting:
        sender.drain(seconds=_LAST_WORDS)
        waiting = _waiting(account)
    revoked, trouble = _revoked(account, by_hand_too=chosen.revoke)
    _forget(account)
    lines = [f"Signed out of {server_of(account)}; nothing more is captured for it."]
    if trouble:
        lines.append(f"The key could not be ended there ({trouble}). Do it in the browser, under Settings, Keys.")
    elif not revoked:
        lines.append("The key was made by hand and may be in use elsewhere, so it stays valid; --revoke ends it.")
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        lines.append(f"{counted(waiting, 'event')} still {verb} here; signing in again as {account.user} sends them.")
    out.result({"label": account.label, "revoked": revoked, "waiting": waiting}, *lines)


def _waiting(account: Account) -> int:
    box = Outbox().boxes.get(account.label)
    return sum(1 for queue in box.queues for _ in queue.look()) if box else 0


def _revoked(account: Account, *, by_hand_too: bool) -> tuple[bool, str]:
    """(whether the key is over, why it could not be ended)."""
    try:
        if service.end_machine(account):
            return True, ""
        if by_hand_too:
            service.revoke_key(account, service.me(account.url, account.key).key)
        return by_hand_too, ""
    except api.Unreachable as trouble:
        return False, str(trouble)
    except api.Refused as refusal:
        return refusal.status == 401, "" if refusal.status == 401 else str(refusal)


def _forget(account: Account) -> None:
    """Key and consents go; the label stays this person's, because what waits is addressed by it."""
    known = accounts.load()
    kept = tuple(one for one in known.all if one.label != account.label)
    accounts.remember_former(account)
    accounts.save(accounts.Accounts(kept, known.default if known.default != account.label else ""))
    consents = consent.stored()
    for connection in consents.connections:
        if connection.server == account.label:
            consents = consents.without(connection.place, refuse=False)
    connecting.keep(consents)
