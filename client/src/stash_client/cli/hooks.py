"""``stash hooks``: wire agents, take it back, or show what to add by hand. What changes is shown first."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

from stash_client import wiring
from stash_client.cli.changes import agreed, in_full, listed
from stash_client.cli.output import NOT_FOUND, USAGE, Failed, Output
from stash_client.wiring import ByHand, Change, Overtaken

EXAMPLES = (
    "stash hooks install",
    "stash hooks install codex --dry-run",
    "stash hooks show cursor",
    "stash hooks uninstall",
)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("verb", choices=("install", "uninstall", "show"))
    parser.add_argument("harness", nargs="*", help="agents; without any, all that are found on this machine")
    parser.add_argument("--all", action="store_true", help="every agent found on this machine")
    parser.add_argument("--dry-run", action="store_true", help="show what would change and change nothing")


def run(chosen: Namespace, out: Output) -> int:
    if chosen.verb == "show":
        return _show(chosen.harness, out)
    installing = chosen.verb == "install"
    harnesses = _harnesses(chosen, installing=installing)
    changes, left_alone = _planned(harnesses, wiring.plan if installing else wiring.removal)
    if shown := (in_full if chosen.dry_run else listed)(changes, out):
        out.say(*shown)
    done = bool(changes) and not chosen.dry_run and agreed(changes, out, default=True)
    if done:
        _apply(changes)
    return _report(chosen, harnesses, changes, left_alone, done, out)


def _apply(changes: Sequence[Change]) -> None:
    try:
        wiring.apply(changes)
    except Overtaken as overtaken:
        raise Failed(str(overtaken), code="overtaken") from None
    except OSError as error:
        where = error.filename or "a file"
        raise Failed(f"{where} could not be written: {error.strerror}.", code="not_written") from None


def _harnesses(chosen: Namespace, *, installing: bool) -> list[str]:
    if chosen.harness and not chosen.all:
        return [_known(name) for name in chosen.harness]
    if not installing:
        return [name for name, installer in wiring.INSTALLERS.items() if installer.parts]
    found = [agent.harness for agent in wiring.detected() if wiring.INSTALLERS[agent.harness].is_automatic]
    if not found:
        raise Failed("No agent that Stash can wire was found here.", hint="Name one: stash hooks install claude-code")
    return found


def _known(name: str) -> str:
    try:
        return wiring.named(name).harness
    except KeyError:
        known = ", ".join(sorted(wiring.INSTALLERS))
        raise Failed(f"No agent {name!r}. Known: {known}.", code="unknown_agent", exit_code=USAGE) from None


def _planned(
    harnesses: Sequence[str], plan: Callable[[str], list[Change]]
) -> tuple[list[Change], list[tuple[str, str]]]:
    """The changes of all, and what was left alone: (harness, why)."""
    changes: list[Change] = []
    left_alone = []
    for harness in harnesses:
        if not wiring.INSTALLERS[harness].is_automatic:
            left_alone.append((harness, f"{wiring.INSTALLERS[harness].label} is connected by hand."))
            continue
        try:
            changes += [change for change in plan(harness) if change not in changes]
        except ByHand as refused:
            left_alone.append((harness, str(refused)))
    return changes, left_alone


def _report(
    chosen: Namespace,
    harnesses: Sequence[str],
    changes: Sequence[Change],
    left_alone: Sequence[tuple[str, str]],
    done: bool,
    out: Output,
) -> int:
    data: dict[str, Any] = {
        "done": done,
        "changes": [{"path": str(c.path), "why": c.why, "diff": c.diff()} for c in changes],
        "left_alone": [{"agent": harness, "why": why} for harness, why in left_alone],
        "next": _to_approve(harnesses, left_alone) if done and chosen.verb == "install" else [],
    }
    lines = [_verdict(chosen, changes, done)] if not left_alone or changes else []
    for harness, why in left_alone:
        lines += [why, f"  What to add: stash hooks show {harness}"]
    out.result(data, *lines, *data["next"])
    return 1 if left_alone and chosen.harness else 0


def _verdict(chosen: Namespace, changes: Sequence[Change], done: bool) -> str:
    if not changes:
        return "Nothing to change."
    if chosen.dry_run:
        return "Nothing was changed (dry run)."
    return "Done. Copies of the files as they were are kept in the backups folder." if done else "Nothing was changed."


def _to_approve(harnesses: Sequence[str], left_alone: Sequence[tuple[str, str]]) -> list[str]:
    refused = {harness for harness, _ in left_alone}
    wired = (wiring.INSTALLERS[harness] for harness in harnesses if harness not in refused)
    return [f"{installer.label}: {installer.trust}" for installer in wired if installer.trust]


def _show(names: Sequence[str], out: Output) -> int:
    if len(names) != 1:
        raise Failed("Name one agent: stash hooks show claude-code", code="usage", exit_code=USAGE)
    harness = _known(names[0])
    installer = wiring.INSTALLERS[harness]
    parts = wiring.by_hand(harness)
    if not parts:
        raise Failed(f"How to connect {installer.label} is not known.", code="not_found", exit_code=NOT_FOUND)
    lines: list[str] = []
    for path, text in parts:
        lines += [f"In {path}:", "", text.rstrip("\n"), ""] if path else [text, ""]
    lines += [*installer.notes, *filter(None, [installer.trust])]
    files = [{"path": path, "text": text} for path, text in parts]
    out.result({"agent": harness, "files": files, "notes": [*installer.notes]}, *lines)
    return 0
