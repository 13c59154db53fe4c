"""``stash top``: what my agents do now."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace

from stash_client.api.client import Stash
from stash_client.api.errors import Unreachable
from stash_client.api.models import Session
from stash_client.cli.output import USAGE, Failed, Output, one_line
from stash_client.cli.times import age

EXAMPLES = ("stash top", "stash top --once", "stash top --everyone --project shop", "stash top --json")
_ORDER = ("needs_you", "running", "failed", "idle")
_SIGN = {"needs_you": "yellow", "running": "green", "failed": "red"}
_MOST = 200


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--everyone", action="store_true", help="those of the whole team")
    parser.add_argument("--project", metavar="SLUG", help="of one project")
    parser.add_argument("--once", action="store_true", help="show them and end; the usual where no person watches")
    parser.add_argument("--interval", metavar="SECONDS", type=float, default=2.0, help="between two looks (2)")


def run(chosen: Namespace, out: Output) -> None:
    if not 0.5 <= chosen.interval <= 3600:
        raise Failed("The interval is from 0.5 to 3600 seconds.", code="usage", exit_code=USAGE)
    with Stash() as stash:
        if chosen.once or not out.live:
            found = _open_sessions(stash, chosen)
            out.result([session.raw for session in found], *_lines(found, out))
            return
        out.enter()
        try:
            _watch(stash, chosen, out)
        finally:
            out.leave()


def _watch(stash: Stash, chosen: Namespace, out: Output) -> None:
    """For ever; a server that is away for a while leaves the last picture, and says so."""
    lines: list[str] = []
    while True:
        try:
            lines, trouble = _lines(_open_sessions(stash, chosen), out), ""
        except Unreachable as fault:
            trouble = f"The server does not answer: {fault}"
        size = os.get_terminal_size()
        bottom = out.styled(trouble or f"{time.strftime('%H:%M:%S')}  Ctrl-C ends", "red" if trouble else "dim")
        out.repaint([*lines[: max(size.lines - 3, 1)], "", bottom])
        time.sleep(chosen.interval)


def _open_sessions(stash: Stash, chosen: Namespace) -> list[Session]:
    """Who waits longest comes first, then what runs, then what rests; nothing that is over."""
    by = None if chosen.everyone else "me"
    found = stash.sessions(by=by, project=chosen.project, limit=_MOST)
    known = [s for s in found if s.status != "ended" and not s.parent]
    waiting = sorted((s for s in known if s.state == "needs_you"), key=lambda s: s.status_since)
    return waiting + sorted((s for s in known if s.state != "needs_you"), key=lambda s: _ORDER.index(s.state)
                            if s.state in _ORDER else len(_ORDER))  # fmt: skip


def _lines(sessions: list[Session], out: Output) -> list[str]:
    if not sessions:
        return ["No agent is at work."]
    try:
        width = os.get_terminal_size().columns
    except OSError:
        width = 120
    rows = [
        (s.state.replace("_", " "), age(s.status_since), s.short_id, s.harness, s.project or "-", one_line(_doing(s)))
        for s in sessions
    ]
    lines = [line[:width] for line in out.table([tuple(one_line(cell) for cell in row) for row in rows])]
    return [out.styled(line, _SIGN[s.state]) if s.state in _SIGN else line for line, s in zip(lines, sessions)]


def _doing(session: Session) -> str:
    now = session.waiting_for if session.state == "needs_you" else session.activity
    return f"{session.title or '(no title)'}: {now}" if now else session.title or "(no title)"
