"""``stash mcp``: the memory as tools of an agent. Without a verb it is what the agent starts: it carries messages."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

from stash_client.cli.output import USAGE, Failed, Output

EXAMPLES = ("stash mcp install", "stash mcp install cursor --dry-run", "stash mcp show", "stash mcp uninstall")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("verb", nargs="?", choices=("serve", "install", "uninstall", "show"), default="serve")
    parser.add_argument("harness", nargs="*", help="agents; without any, all that are found on this machine")
    parser.add_argument("--dry-run", action="store_true", help="show what would change and change nothing")


def run(chosen: Namespace, out: Output) -> int:
    if chosen.verb == "serve":
        return _serve(out)
    if chosen.verb == "show":
        return _show(out)
    return _change(chosen, out)


def _serve(out: Output) -> int:
    if out.as_json:
        raise Failed("stash mcp speaks its own protocol on stdin; --json belongs to its verbs.", code="usage")
    from stash_client.bridge import Bridge

    for answer in Bridge().answers(sys.stdin.buffer):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    return 0


def _show(out: Output) -> int:
    from stash_client.wiring import servers

    program, *rest = servers.command()
    entry = {"mcpServers": {servers.NAME: {"command": program, "args": rest}}}
    shown = json.dumps(entry, indent=2).splitlines()
    out.result(
        {"entry": entry, "agents": sorted(servers.files())},
        "Most agents take this in their list of MCP servers:",
        "",
        *shown,
        "",
        "Or over HTTP: the server's address with /mcp at its end, and the header Authorization: Bearer <key>.",
    )
    return 0


def _change(chosen: Namespace, out: Output) -> int:
    from stash_client import wiring
    from stash_client.cli.changes import agreed, in_full, listed
    from stash_client.wiring import planning, servers

    installing = chosen.verb == "install"
    make: Callable[[Any], list[wiring.Change]] = planning.plan_of if installing else planning.removal_of
    changes: list[wiring.Change] = []
    left_alone: list[dict[str, str]] = []
    for harness in _harnesses(chosen.harness, installing=installing):
        try:
            changes += make(servers.installer(harness))
        except wiring.ByHand as refused:
            left_alone.append({"agent": harness, "why": str(refused)})
    if shown := (in_full if chosen.dry_run else listed)(changes, out):
        out.say(*shown)
    done = bool(changes) and not chosen.dry_run and agreed(changes, out, default=True)
    if done:
        _apply(changes)
    verdict = "Done." if done else "Nothing to change." if not changes else "Nothing was changed."
    told = [{"path": str(change.path), "why": change.why, "diff": change.diff()} for change in changes]
    lines = [verdict, *(one["why"] for one in left_alone)]
    out.result({"done": done, "changes": told, "left_alone": left_alone}, *lines)
    return 1 if left_alone else 0


def _apply(changes: Sequence[Any]) -> None:
    from stash_client import wiring

    try:
        wiring.apply(changes)
    except wiring.Overtaken as overtaken:
        raise Failed(str(overtaken), code="overtaken") from None
    except OSError as error:
        where = error.filename or "a file"
        raise Failed(f"{where} could not be written: {error.strerror}.", code="not_written") from None


def _harnesses(named: Sequence[str], *, installing: bool) -> list[str]:
    from stash_client import wiring
    from stash_client.wiring import servers

    known = servers.files()
    if named:
        wanted = [wiring.named(name).harness if _is_known(name) else name for name in named]
        if unknown := [name for name in wanted if name not in known]:
            say = (
                f"{', '.join(unknown)} must be told by hand: stash mcp show. By itself it goes for {', '.join(known)}."
            )
            raise Failed(say, code="by_hand", exit_code=USAGE)
        return wanted
    if not installing:
        return list(known)
    found = [agent.harness for agent in wiring.detected() if agent.harness in known]
    if not found:
        raise Failed(
            "No agent was found here that can be told by itself.",
            hint=f"Name one: stash mcp install {next(iter(known))}",
            code="not_found",
        )
    return found


def _is_known(name: str) -> bool:
    from stash_client import wiring

    try:
        wiring.named(name)
    except KeyError:
        return False
    return True
