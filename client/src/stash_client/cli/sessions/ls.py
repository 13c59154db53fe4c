"""``stash sessions ls``."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace

from stash_client.api.client import Stash
from stash_client.api.models import Session
from stash_client.cli.output import Output, one_line
from stash_client.cli.times import age, moment

_STATUS = ("running", "needs_you", "idle", "failed", "done", "ended", "working")
_COLOUR = {"needs_you": "yellow", "running": "green", "failed": "red"}
FILTERS = ("project", "by", "harness", "status", "since", "until", "q")


def arguments(parser: ArgumentParser) -> None:
    """Left out, an option is not there at all: ``sessions --by me ls`` and ``sessions ls --by me`` are the same."""
    add = parser.add_argument
    add("--project", metavar="SLUG", default=SUPPRESS, help="of one project")
    add("--by", metavar="USERNAME", default=SUPPRESS, help="of one person; me for your own")
    add("--harness", metavar="HARNESS", default=SUPPRESS, help="of one agent, as claude-code or codex")
    add("--status", choices=_STATUS, metavar="STATUS", default=SUPPRESS, help=" ".join(_STATUS))
    add("--since", metavar="TIME", default=SUPPRESS, help="30m, 2h, 7d, today, or a date or time")
    add("--until", metavar="TIME", default=SUPPRESS, help="the same")
    add("-q", metavar="WORDS", default=SUPPRESS, help="words in title, branch or a file's path")
    add("--limit", metavar="N", type=int, default=SUPPRESS, help="at most so many (30)")


def run(chosen: Namespace, out: Output) -> None:
    asked = {name: getattr(chosen, name) for name in FILTERS if getattr(chosen, name, None)}
    for name in ("since", "until"):
        if name in asked:
            asked[name] = moment(asked[name])
    with Stash() as stash:
        found = list(stash.sessions(**asked, limit=max(getattr(chosen, "limit", 30), 1)))
    out.result([session.raw for session in found], *(lines_of(found, out) or ["No sessions."]))


def lines_of(sessions: list[Session], out: Output, *, width: int = 60) -> list[str]:
    """A table: short id, state, age, person, harness, project and whether it is private, title."""
    rows = [
        (s.short_id, s.state, age(s.last_event_at), s.person.username, s.harness, _where(s),
         one_line(s.title or s.activity or "(no title)", width))
        for s in sessions
    ]  # fmt: skip
    lines = out.table([tuple(one_line(cell) for cell in row) for row in rows])
    return [out.styled(line, _COLOUR[s.state]) if s.state in _COLOUR else line for line, s in zip(lines, sessions)]


def _where(session: Session) -> str:
    project = session.project or "-"
    return f"{project} (private)" if session.visibility == "private" else project
