"""``stash spool``: what waits here to be sent, and why."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict

from stash_client import sender, spooled
from stash_client.cli.output import Output
from stash_client.outbox import Frame
from stash_client.privacy import snippet
from stash_client.spooled import OfServer, Spooled, Waiting

EXAMPLES = ("stash spool", "stash spool show 5", "stash spool retry", "stash spool --json")
_SHOWN, _MOST_SESSIONS, _LINE = 20, 15, 100
_RETRY_SECONDS = 30
_WHY = {
    "signed_out": "this machine is not signed in there; run: stash signin",
    "not_allowed": "its key is not accepted any more; run: stash signin",
}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=["list", "show", "retry"], default="list")
    parser.add_argument("number", nargs="?", type=int, default=_SHOWN, help="of events to show")


def run(chosen: Namespace, out: Output) -> None:
    {"list": _list, "show": _show, "retry": _retry}[chosen.what](chosen, out)


def _list(chosen: Namespace, out: Output) -> None:
    found = spooled.spooled()
    out.result(asdict(found), *_about(found, out))


def _show(chosen: Namespace, out: Output) -> None:
    frames = spooled.oldest(max(0, chosen.number))
    rows = [[frame.at[:19].replace("T", " "), frame.key[0], frame.kind, _said(frame)] for frame in frames]
    out.result([asdict(frame) for frame in frames], *(out.table(rows) or ["Nothing waits."]))


def _retry(chosen: Namespace, out: Output) -> None:
    left = sender.retry(_RETRY_SECONDS)
    say = "Nothing waits any more." if left.nothing else f"{_count(left.frames, 'event')} still waiting: stash spool"
    out.result({"records": left.records, "events": left.frames}, say)


def _about(found: Spooled, out: Output) -> Iterator[str]:
    if not any(_has_something(server) for server in found.servers) and not found.records:
        yield "Nothing waits: all that was captured here is with its server."
    if found.records:
        yield f"{_count(found.records, 'record')} of hooks not read yet ({_size(found.record_bytes)})"
    for server in filter(_has_something, found.servers):
        yield from _about_server(server, out)
    if found.size * 2 > found.most_bytes:
        yield f"The spool holds {_size(found.size)} of at most {_size(found.most_bytes)}."
    if found.dropped:
        dropped = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in sorted(found.dropped.items()))
        yield f"Left out since ever for want of room: {dropped}."
    if found.fault:
        yield f"Last fault of a hook or sender: {found.fault.strip().splitlines()[-1][:_LINE]}"


def _has_something(server: OfServer) -> bool:
    return bool(server.waiting.events or server.parked.events or server.refused or server.state.paused)


def _about_server(server: OfServer, out: Output) -> Iterator[str]:
    yield out.styled(server.server, "bold")
    if server.waiting.events:
        yield f"  waiting  {_amount(server.waiting)}"
    if server.parked.events:
        yield f"  parked   {_amount(server.parked)}: the server does not take them before you connect their project"
    for why, count in server.refused.items():
        yield f"  refused  {_count(count, 'event')}: {why}"
    yield from _trouble(server)
    rows = [
        [f"    {one.harness}", one.native_id[:36], _count(one.events, "event"), one.place]
        for one in server.sessions[:_MOST_SESSIONS]
    ]
    yield from out.table(rows)
    if len(server.sessions) > _MOST_SESSIONS:
        yield f"    and {_count(len(server.sessions) - _MOST_SESSIONS, 'session')} more"


def _trouble(server: OfServer) -> Iterator[str]:
    state = server.state
    if state.paused:
        yield f"  paused   {_WHY.get(state.paused, state.paused)}"
    elif state.error:
        yield f"  last try {_ago(state.error_at)}: {state.error[:_LINE]}"


def _amount(waiting: Waiting) -> str:
    since = waiting.oldest[:16].replace("T", " ")
    return f"{_count(waiting.events, 'event')} ({_size(waiting.bytes)}) since {since} UTC"


def _said(frame: Frame) -> str:
    event = frame.event
    texts = (event.get(name) for name in ("text", "name", "output", "task", "reason"))
    return snippet(next((text for text in texts if isinstance(text, str) and text), ""), _LINE)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _size(number: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if number < 1024 or unit == "MiB":
            return f"{number:.0f} {unit}"
        number //= 1024
    return ""


def _ago(at: float) -> str:
    seconds = max(0, int(time.time() - at))
    minutes, hours = seconds // 60, seconds // 3600
    return f"{seconds} s ago" if minutes < 1 else f"{minutes} min ago" if hours < 1 else f"{hours} h ago"
