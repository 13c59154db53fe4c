"""``stash connect``: consent for the repository one stands in, or for all of them."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from stash_client import accounts, connecting
from stash_client.cli import consenting
from stash_client.cli.asking import can_ask
from stash_client.cli.output import NOT_ALLOWED, NOT_FOUND, USAGE, Failed, Output
from stash_client.connecting import PRIVATE, VISIBLE, Proposal
from stash_client.events import JSON

EXAMPLES = ("stash connect", "stash connect --private")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--private", action="store_true", help="new sessions are for your eyes only")
    parser.add_argument("--all", action="store_true", help="all repositories on this machine, also future ones")
    parser.add_argument("--project", metavar="SLUG", default="", help="join this project, whatever the remote says")
    parser.add_argument("--no-files", action="store_true", help="write nothing into the repository")


def run(chosen: Namespace, out: Output) -> None:
    if chosen.all:
        _everything(chosen, out)
        return
    proposal = proposed(chosen.project)
    out.say(*consenting.about(proposal), *consenting.warnings(out, proposal))
    visibility = _agreed(chosen, out, proposal)
    connection, joined = connecting.connect(proposal, visibility)
    out.say(*consenting.connected(connection, joined))
    is_quiet = chosen.no_files or connection.visibility == PRIVATE
    files = [] if is_quiet else consenting.write_files(out, connection, proposal, joined)
    facts: JSON = {
        "place": connection.place,
        "server": proposal.account.label,
        "project": joined.project.slug if joined.project else None,
        "visibility": connection.visibility,
        "fixed_by": joined.fixed_by or None,
        "files": list(files),
    }
    out.result(facts, *([f"Written: {', '.join(files)}. Commit them to connect your team."] if files else []))


def proposed(slug: str = "") -> Proposal:
    """For the folder one stands in. Raises Failed before sign-in, and for a project nobody can see."""
    try:
        proposal = connecting.propose(
            accounts.load(), os.getcwd(), label=os.environ.get(accounts.CHOSEN, ""), slug=slug
        )
    except connecting.NoSuchProject:
        raise Failed(f"There is no project {slug} that you can see.", code="not_found", exit_code=NOT_FOUND) from None
    if proposal is None:
        raise not_signed_in()
    return proposal


def not_signed_in() -> Failed:
    return Failed(
        "This machine is not signed in.", hint="Run: stash signin URL", code="not_signed_in", exit_code=NOT_ALLOWED
    )


def _agreed(chosen: Namespace, out: Output, proposal: Proposal) -> str:
    """The visibility somebody agreed to. Raises Failed for no, and where nobody could be asked."""
    wanted = PRIVATE if chosen.private else VISIBLE
    if can_ask(out):
        visibility = wanted if chosen.private or out.yes else ""
        if not visibility:
            readers = consenting.audience(proposal.account, proposal.target)
            visibility = consenting.ask_who_sees(out, readers, decline="Do not connect")
        elif proposal.is_doubtful and not consenting.really(out):
            visibility = ""
        if not visibility:
            raise Failed("Not connected; nothing is captured here.", code="declined")
        return visibility
    if proposal.is_doubtful and not chosen.project:
        hint = "Run stash connect in a terminal to look at it, or say --project SLUG."
        raise Failed(" ".join(consenting.doubts(proposal)), hint=hint, code="doubtful_marker", exit_code=NOT_ALLOWED)
    if not out.yes:
        raise _nobody_to_ask()
    return wanted


def _nobody_to_ask() -> Failed:
    hint = "To agree without being asked: stash connect --yes, or --yes --private"
    return Failed(
        "There is no terminal to ask you on, so nothing was connected.", hint=hint, code="not_asked", exit_code=USAGE
    )


def _everything(chosen: Namespace, out: Output) -> None:
    account = accounts.load().main
    if account is None:
        raise not_signed_in()
    out.say(
        f"Sessions of your agents in all repositories on this machine would go to {consenting.server_of(account)},",
        f"team {account.team}, as {account.user}. Where you said no, it stays no.",
    )
    visibility = PRIVATE if chosen.private else VISIBLE
    if not chosen.private and not out.yes and can_ask(out):
        readers = "in each project, everybody who can see it"
        visibility = consenting.ask_who_sees(out, readers, decline="Do not connect")
    elif not out.yes and not can_ask(out):
        raise _nobody_to_ask()
    elif not out.ask("Connect all repositories?", default=False):
        visibility = ""
    if not visibility:
        raise Failed("Not connected.", code="declined")
    connection = connecting.connect_everything(account, visibility)
    facts: JSON = {"place": "", "server": account.label, "project": None, "visibility": connection.visibility}
    out.result(facts, f"Connected all repositories. {consenting.sees(connection)}")
