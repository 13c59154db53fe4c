"""``stash forget``: what was captured goes, on this machine before it is sent, and on the server where it was."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime, timedelta, timezone

from stash_client import api, lately, pausing, service
from stash_client.cli.moments import clock, counted
from stash_client.cli.output import UNREACHABLE, USAGE, Failed, Output, plain
from stash_client.cli.which import Which, argument, on_server, which
from stash_client.lately import Waiting

EXAMPLES = ("stash forget last", "stash forget 10m", "stash forget session")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", help="last (since your last prompt), a time like 10m, or session")
    argument(parser)


def run(chosen: Namespace, out: Output) -> None:
    span = _span(chosen.what)
    session = which(chosen.session)
    waiting = lately.waiting(session.harness, session.native_id)
    since, exact = _since(chosen.what, span, session, waiting)
    here = [event for event in waiting if since is None or event.at >= since]
    if not out.ask(_question(session, since, here), default=False):
        raise Failed("Nothing was removed.", hint="Without a terminal: add --yes", code="declined")
    gone = session.native_id == "" or lately.here(session.harness, session.native_id, since)
    removed, trouble = _on_server(session, since, exact)
    facts = {
        "since": since.isoformat() if since else None,
        "here": len(here) if gone else 0,
        "server": removed,
        "server_told": not trouble,
    }
    lines = [
        f"On this machine: {counted(len(here), 'waiting event')} removed."
        if gone
        else "On this machine: another stash is at work; it removes what waits within moments.",
        f"On the server: {counted(removed, 'event')} removed." if not trouble else "On the server: nothing yet.",
    ]
    if chosen.what == "session":
        lines.append("What this session does from now on is captured again. To stop that: stash pause")
    if trouble:
        out.say(*lines)
        hint = "What it has stays there until you say so again: stash forget " + chosen.what
        raise Failed(
            f"The server could not be asked ({trouble}).", hint=hint, code="unreachable", exit_code=UNREACHABLE
        )
    out.result(facts, *lines)


def _span(what: str) -> timedelta | None:
    if what in ("last", "session"):
        return None
    try:
        return pausing.span(what)
    except ValueError:
        detail = f"{what!r} is neither last, nor session, nor a time like 10m."
        raise Failed(detail, code="usage", exit_code=USAGE) from None


def _since(what: str, span: timedelta | None, session: Which, waiting: list[Waiting]) -> tuple[datetime | None, str]:
    """(from when on, by the clock here; by the server's where that is known better). None for the whole session."""
    if span is not None:
        return datetime.now(timezone.utc) - span, ""
    if what == "session":
        return None, ""
    prompts = [event.at for event in waiting if event.kind == "prompt"]
    if prompts:
        return max(prompts), ""
    try:
        there = on_server(session)
        last = service.last_prompt_at(session.account, there) if there and session.account else ""
    except api.Unreachable:
        last = ""
    if not last or session.account is None:
        hint = "A time works too: stash forget 10m. Or all of it: stash forget session"
        raise Failed("No prompt of this session was found.", hint=hint, code="not_found")
    return datetime.fromisoformat(last.replace("Z", "+00:00")) - service.ahead(session.account), last


def _question(session: Which, since: datetime | None, here: list[Waiting]) -> str:
    what = f"everything since {clock(since)}" if since else "everything"
    count = counted(len(here), "event waits", "events wait")
    return f"Remove {what} of {plain(session.called)} for good? {count} on this machine; the server is asked too."


def _on_server(session: Which, since: datetime | None, exact: str) -> tuple[int, str]:
    """(events removed there, why it could not be asked). What it does not have needs no removal."""
    try:
        there = on_server(session)
        if not there or session.account is None:
            return 0, ""
        if since is not None and not exact:
            exact = (since + service.ahead(session.account)).isoformat()
        return service.forget(session.account, there, exact), ""
    except api.Unreachable as trouble:
        return 0, str(trouble)
    except api.Refused as refusal:
        if refusal.status == 404:
            return 0, ""
        raise
