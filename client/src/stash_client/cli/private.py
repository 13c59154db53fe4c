"""``stash private`` and ``stash share``: who sees the running session, from its first event on."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client import api, recent, service
from stash_client.cli.output import Output
from stash_client.cli.which import Which, argument, on_server, which

EXAMPLES = ("stash private", "stash private --json")


def arguments(parser: ArgumentParser) -> None:
    argument(parser)


def run(chosen: Namespace, out: Output) -> None:
    change(which(chosen.session), "private", out)


def change(session: Which, visibility: str, out: Output) -> None:
    """Here first, so that nothing more leaves this machine otherwise; then on the server."""
    if session.native_id:
        (recent.make_private if visibility == "private" else recent.share)(session.harness, session.native_id)
    there, trouble = _on_server(session, visibility)
    facts = {
        "harness": session.harness or None,
        "native_id": session.native_id or None,
        "session": there or None,
        "visibility": visibility,
        "server": "told" if there else "not reached" if trouble else "has nothing of it yet",
    }
    seen = "only you see it" if visibility == "private" else "everybody who can see its project sees it"
    lines = [f"{session.called}: {seen}, what came before included."]
    if trouble:
        later = (
            "It is made private with the next event that is sent." if visibility == "private" else "Try again later."
        )
        lines = [f"{session.called}: what is sent from now on is for {_whom(visibility)}."]
        lines.append(f"The server could not be told ({trouble}). {later}")
    elif not there:
        lines = [f"{session.called}: {seen}. Nothing of it has been sent yet."]
    out.result(facts, *lines)


def _whom(visibility: str) -> str:
    return "you alone" if visibility == "private" else "everybody who can see its project"


def _on_server(session: Which, visibility: str) -> tuple[str, str]:
    """(the server's id once it is changed there, why not)."""
    try:
        there = on_server(session)
        if there and session.account is not None:
            service.set_visibility(session.account, there, visibility)
        return there, ""
    except api.Unreachable as trouble:
        return "", str(trouble)
    except api.Refused as refusal:
        if refusal.status == 404:
            return "", ""
        raise
