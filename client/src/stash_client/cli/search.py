"""``stash search``."""

from __future__ import annotations

from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from stash_client.api.client import Stash
from stash_client.cli.output import USAGE, Failed, Output, one_line

EXAMPLES = (
    "stash search connection pool timeout",
    'stash search "retry budget" by:me since:last-week',
    "stash search kind:failure file:cart.py -flaky",
    "stash search --json rounding",
)
_WIDTH = 100


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--limit", metavar="N", type=int, default=10, help="at most so many sessions (10)")
    parser.add_argument("--events", action="store_true", help="single events instead of sessions")
    parser.add_argument(
        "words",
        nargs=REMAINDER,
        help='words; "exact words"; -word; project: by: harness: kind: file: since: until: is:',
    )


def run(chosen: Namespace, out: Output) -> None:
    question = " ".join(_as_typed(word) for word in chosen.words)
    if not question.strip():
        raise Failed("What for?", hint="stash search connection pool timeout", code="usage", exit_code=USAGE)
    with Stash() as stash:
        page = stash.search(
            question, limit=min(max(chosen.limit, 1), 100), group="none" if chosen.events else "session"
        )
    out.result(page, *_lines(page, out))


def _as_typed(word: str) -> str:
    """The shell took the quotes away from what was to be found as it stands."""
    return f'"{word}"' if any(c.isspace() for c in word) and '"' not in word else word


def _lines(page: Mapping[str, Any], out: Output) -> Iterator[str]:
    for name in page.get("ignored") or ():
        yield out.styled(f"Not understood, so left out: {one_line(str(name))}", "yellow")
    for result in page.get("results") or ():
        yield from _result(result, out)
    if not page.get("results"):
        yield one_line(str(page.get("note") or "Nothing found."))
    elif page.get("next"):
        yield out.styled("There is more: --limit 50", "dim")


def _result(result: Mapping[str, Any], out: Output) -> Iterator[str]:
    where = (str(result.get(name) or "-") for name in ("author", "harness", "project"))
    about = " · ".join((str(result["session"])[-8:], str(result["occurred_at"])[:16].replace("T", " "), *where))
    yield f"{out.styled(one_line(str(result['title'] or '(no title)'), _WIDTH), 'bold')}"
    yield f"  {out.styled(one_line(about), 'dim')}"
    for passage in result.get("passages") or ():
        failed = out.styled("failed ", "red") if passage.get("failed") else ""
        yield f"  #{passage['event']:<4} {failed}{one_line(str(passage['text']), _WIDTH)}"
    if result.get("more"):
        yield out.styled(f"  {result['more']} more here", "dim")
    yield f"  {one_line(str(result['url']), 300)}"
    yield ""
