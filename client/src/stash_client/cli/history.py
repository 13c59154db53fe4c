"""``stash history search``: who dealt with this before, and what came of it."""

from __future__ import annotations

from argparse import REMAINDER, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator, Mapping
from typing import Any

from stash_client.api.client import Stash
from stash_client.cli.output import DONE, NOT_FOUND, USAGE, Failed, Output, one_line

EXAMPLES = (
    "stash history search what did dana conclude about the memory leak",
    "stash history search rounding of fares since:last-week",
    "stash history search --json flaky login test",
)
_TITLE, _TEXT = 100, 400


def arguments(parser: ArgumentParser) -> None:
    verbs: _SubParsersAction[Any] = parser.add_subparsers(dest="verb", metavar="search", prog=parser.prog)
    search = verbs.add_parser(
        "search",
        help="by person: when, how many events, conclusions and open findings first",
        description="By person: when, how many events, conclusions and open findings first. 4: nobody knows anything.",
    )
    search.add_argument("--limit", metavar="N", type=int, default=8, help="at most so many sessions (8)")
    search.add_argument("question", nargs=REMAINDER, help="a question; a person's name in it asks for that person")


def run(chosen: Namespace, out: Output) -> int:
    question = " ".join(chosen.question) if chosen.verb else ""
    if not question.strip():
        raise Failed("About what?", hint=EXAMPLES[0], code="usage", exit_code=USAGE)
    with Stash() as stash:
        found = stash.history(question, limit=min(max(chosen.limit, 1), 20))
    out.result(found, *_lines(found, out))
    return DONE if found.get("people") else NOT_FOUND


def _lines(found: Mapping[str, Any], out: Output) -> Iterator[str]:
    for name in found.get("ignored") or ():
        yield out.styled(f"Not understood, so left out: {one_line(str(name))}", "yellow")
    if note := found.get("note"):
        yield one_line(str(note))
    for person in found.get("people") or ():
        sessions = person.get("sessions") or ()
        yield out.styled(one_line(_tally(person, sessions)), "bold")
        for session in sessions:
            yield from _session(session, out)
        yield ""


def _tally(person: Mapping[str, Any], sessions: Any) -> str:
    events = sum(int(session.get("matches") or 0) for session in sessions)
    days = sorted(str(session["last_event_at"])[:10] for session in sessions)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    return (
        f"{person['name']} (@{person['username']}): {when}, {_counted(len(sessions), 'session')}, "
        f"{_counted(events, 'event')} about it"
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _session(session: Mapping[str, Any], out: Output) -> Iterator[str]:
    where = " · ".join(
        (
            str(session["session"])[-8:],
            str(session["last_event_at"])[:16].replace("T", " "),
            str(session.get("project") or "-"),
            str(session.get("harness") or "-"),
            f"{session['matches']} of {_counted(int(session['events']), 'event')}",
        )
    )
    yield f"  {one_line(str(session['title'] or '(no title)'), _TITLE)}"
    yield f"    {out.styled(one_line(where), 'dim')}"
    concluded = session.get("conclusions") or ()
    for said in concluded:
        yield f"    Concluded #{said['event']}: {one_line(str(said['text']), _TEXT)}"
    for said in session.get("open") or ():
        yield f"    {out.styled('Still open', 'yellow')} #{said['event']}: {one_line(str(said['text']), _TEXT)}"
    for text in session.get("dead_ends") or ():
        yield f"    {out.styled('Tried and failed', 'red')}: {one_line(str(text), _TEXT)}"
    for said in () if concluded else session.get("passages") or ():
        yield f"    #{said['event']}: {one_line(str(said['text']), _TEXT)}"
    yield f"    {one_line(str(session.get('path') or session['url']), 300)}"
