"""``stash upgrade``."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from stash_client import __version__, accounts, upgrading
from stash_client.api.errors import NoAccount
from stash_client.cli.output import NOT_FOUND, Failed, Output

EXAMPLES = ("stash upgrade --check", "stash upgrade")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="only say whether the server has a newer one")


def run(chosen: Namespace, out: Output) -> None:
    account = accounts.load().main
    if account is None:
        raise NoAccount
    try:
        offer = upgrading.offer_of(account.url)
        newer = offer.is_newer_than(__version__)
        told = {"installed": __version__, "offered": offer.version, "newer": newer, "server": account.url}
        if chosen.check or not newer:
            word = f"{account.url} has {offer.version}: stash upgrade" if newer else "nothing newer there"
            out.result({**told, "upgraded": False}, f"This is {__version__}; {word}.")
            return
        with tempfile.TemporaryDirectory(prefix="stash-upgrade-") as folder:
            means = upgrading.install(upgrading.download(offer, Path(folder)))
    except upgrading.NotOffered as problem:
        raise Failed(f"{problem}.", code="not_offered", exit_code=NOT_FOUND) from None
    except upgrading.NotInstalled as problem:
        raise Failed(str(problem), code="not_installed") from None
    out.result({**told, "upgraded": True, "with": means}, f"{__version__} -> {offer.version}, with {means}.")
