"""``stash signin``: this machine gets a key, its agents call Stash, and its person is asked what may be captured."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from stash_client import accounts, api, connecting, consent, service
from stash_client.accounts import Account, Accounts
from stash_client.cli import consenting, contact, wire
from stash_client.cli.asking import can_ask
from stash_client.cli.changes import from_home
from stash_client.cli.commands import COMMANDS
from stash_client.cli.output import NOT_ALLOWED, UNREACHABLE, USAGE, Failed, Output, plain
from stash_client.cli.parsing import parser_of
from stash_client.signin import LabelTaken, NotSignedIn, address, is_near, settled, sign_in, with_key

EXAMPLES = ("stash signin https://stash.example.org", "stash signin https://stash.example.org --name build-box")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("url", nargs="?", default="", help="the server, as https://stash.example.org")
    parser.add_argument("--name", default="", help="what to call this machine")
    parser.add_argument("--label", default="", help="what this machine calls the server, where you have several")
    parser.add_argument("--key", action="store_true", help="read a key from stdin or ask for it, without any browser")
    parser.add_argument("--no-browser", action="store_true", help="only show the address to open")
    parser.add_argument("--no-agents", action="store_true", help="do not look for agents on this machine")


def run(chosen: Namespace, out: Output) -> None:
    url = _address(chosen, out)
    account = _keep(_signed_in(chosen, url, out), chosen.label, out)
    out.say(f"Signed in to {plain(consenting.server_of(account))} as {account.user}, team {account.team}.")
    out.say(f"The key is in {from_home(accounts.path())}, for your eyes only.")
    wired = None if chosen.no_agents else wire.agents(out)
    place = _repository(out, account)
    out.result(_facts(account, wired, place), *_next(account, place))


def _address(chosen: Namespace, out: Output) -> str:
    main = accounts.load().main
    typed = chosen.url or (main.url if main else "")
    if not typed and can_ask(out):
        typed = input("Address of your Stash server: ")
    if not typed:
        raise Failed("Which server?", hint="stash signin https://stash.example.org", code="usage", exit_code=USAGE)
    try:
        url = address(typed)
    except ValueError as fault:
        raise Failed(f"{fault}.", code="usage", exit_code=USAGE) from None
    if url.startswith("http://") and not is_near(url):
        out.aside(f"Note: {url} is not encrypted; on the way there everything can be read.")
    return url


def _signed_in(chosen: Namespace, url: str, out: Output) -> Account:
    try:
        if chosen.key:
            return with_key(url, _key(out), machine_name=chosen.name)
        return sign_in(url, tell=_teller(out, browser=not chosen.no_browser), machine_name=chosen.name or None)
    except api.Unreachable as silence:
        hint = "Is the address right, and does the server run?"
        raise Failed(
            f"{url} does not answer: {silence}.", hint=hint, code="unreachable", exit_code=UNREACHABLE
        ) from None
    except NotSignedIn as error:
        raise Failed(f"Not signed in: {error}.", code="not_signed_in", exit_code=NOT_ALLOWED) from None


def _key(out: Output) -> str:
    """Never an argument: those are in the shell's history and in the list of processes."""
    if sys.stdin.isatty():
        from getpass import getpass

        key = getpass("Key: ").strip()
    else:
        key = sys.stdin.readline(1000).strip()
    if not key.startswith("stash_") or len(key) < 20:
        raise Failed(
            "This is no whole key. Paste the whole line; it starts with stash_.", code="usage", exit_code=USAGE
        )
    return key


def _teller(out: Output, *, browser: bool) -> Any:
    def tell(url: str, code: str) -> None:
        if out.as_json:
            import json

            print(json.dumps({"open": url, "code": code}), file=sys.stderr, flush=True)
            return
        out.say(f"Open {plain(url)}", f"and confirm that it shows the code {plain(code)}. Waiting ...")
        if browser:
            from stash_client.cli.browser import opened

            opened(url)

    return tell


def _keep(account: Account, label: str, out: Output) -> Account:
    """Remember the account; the key it had here before is of no use any more."""
    known = accounts.load()
    account = _settled(account, Accounts((*known.all, *accounts.former())), label, out)
    before = known.named(account.label)
    stored = tuple(one for one in known.all if not accounts.is_of_environment(one.label))
    default = "" if accounts.is_of_environment(known.default) else known.default
    accounts.save(Accounts(stored, default).with_account(account))
    connecting.refresh_hooks()
    if before is not None and before.key != account.key and before.url == account.url:
        _revoke(before)
    return account


def _settled(account: Account, known: Accounts, label: str, out: Output) -> Account:
    try:
        return settled(account, known, label=label)
    except LabelTaken as taken:
        other = taken.account
        about = f"{other.label} is {other.url} ({other.user}, team {other.team})"
        question = f"{about}. Has that server moved to {account.url}? Then what waits for it goes there"
        if can_ask(out) and out.ask(question, default=False):
            try:
                return settled(account, known, label=label, moved=True)
            except LabelTaken:
                pass
        raise Failed(f"{about}.", hint="Choose another --label.", code="label_taken", exit_code=USAGE) from None


def _revoke(account: Account) -> None:
    try:
        service.end_machine(account)
    except (api.Unreachable, api.Refused):
        return


def _repository(out: Output, account: Account) -> str:
    """Ask about the repository one stands in, if nobody was asked before; then see that an event arrives.

    "connected", "asked", "nobody asked" or "outside".
    """
    proposal = connecting.propose(accounts.load(), os.getcwd(), label=account.label)
    if proposal is None or not proposal.checkout.is_git:
        return "outside"
    consents = consent.load()
    connection = consents.for_checkout(proposal.checkout)
    if connection is None and not consents.refuses(proposal.checkout):
        if not can_ask(out):
            return "nobody asked"
        connection = consenting.offer(out, proposal)
    if connection is None:
        return "asked"
    contact.show(out, connection, os.getcwd())
    _history(out, "" if connection.is_everything else proposal.checkout.root)
    return "connected"


def _history(out: Output, root: str) -> None:
    """What agents kept from before, counted and asked about; private until somebody shares it."""
    if "import" not in COMMANDS or not can_ask(out) or out.yes:
        return
    from importlib import import_module

    out.say("", "Sessions from before can come too, private until you share them:")
    module: Any = import_module(COMMANDS["import"].module)
    words = ["--project", root] if root else []
    try:
        module.run(parser_of("import").parse_args(words), out)
    except Failed as failure:
        out.say(plain(failure.detail), plain(failure.hint))


def _facts(account: Account, wired: Sequence[str] | None, place: str) -> dict[str, Any]:
    return {
        "user": account.user,
        "team": account.team,
        "server": account.url,
        "label": account.label,
        "machine": account.machine_name,
        "agents": None if wired is None else list(wired),
        "repository": place,
    }


def _next(account: Account, place: str) -> list[str]:
    if place == "connected":
        return ["", f"That is all. Start an agent here and watch it: {plain(account.url)}/t/{plain(account.team)}/"]
    if place == "asked":
        return []
    return ["Nothing is captured yet. In a repository: stash connect"]
