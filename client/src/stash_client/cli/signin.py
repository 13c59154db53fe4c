"""``stash signin``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client import accounts
from stash_client.cli.output import NOT_ALLOWED, Failed, Output
from stash_client.signin import NotSignedIn, sign_in

EXAMPLES = ("stash signin https://stash.example.org", "stash signin https://stash.example.org --name build-box")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("url", help="the server, as http://host:port")
    parser.add_argument("--name", help="what to call this machine")


def run(chosen: Namespace, out: Output) -> None:
    def tell(address: str, code: str) -> None:
        out.say(f"Open {address}\nand confirm the code {code}. Waiting ...")

    try:
        account = sign_in(chosen.url, tell=tell, machine_name=chosen.name)
    except NotSignedIn as error:
        raise Failed(f"Not signed in: {error}.", code="not_signed_in", exit_code=NOT_ALLOWED) from None
    accounts.save(accounts.load().with_account(account))
    out.result(
        {"user": account.user, "team": account.team, "server": account.url},
        f"Signed in as {account.user} ({account.team}); the key is in {accounts.path()}.",
        "Next, inside a repository: stash connect; then: stash hooks install",
    )
