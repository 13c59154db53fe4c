"""Finding agents and wiring them after a yes: which files change is shown first."""

from __future__ import annotations

from stash_client import wiring
from stash_client.cli.output import Output, plain
from stash_client.wiring import ByHand, Change
from stash_client.wiring.planning import Overtaken


def agents(out: Output) -> list[str]:
    """The harnesses that are wired afterwards."""
    found = wiring.detected()
    if not found:
        out.say("", "No agent was found on this machine. Once there is one: stash hooks install")
        return []
    out.say("", f"Agents on this machine: {', '.join(agent.label for agent in found)}.")
    changes, wanted = _planned(out, [agent.harness for agent in found])
    if changes and not _agreed(out, changes):
        out.say("No file was changed. Later: stash hooks install")
        return [harness for harness in wanted if wiring.state(harness).wiring == "wired"]
    try:
        wiring.apply(changes)
    except (Overtaken, OSError) as fault:
        out.say(f"Not all agents are wired: {plain(str(fault))}", "Try again: stash hooks install")
    wired = [harness for harness in wanted if wiring.state(harness).wiring == "wired"]
    for harness in wired:
        if wiring.INSTALLERS[harness].trust:
            out.say(f"{wiring.INSTALLERS[harness].label}: {wiring.INSTALLERS[harness].trust}")
    return wired


def _planned(out: Output, harnesses: list[str]) -> tuple[list[Change], list[str]]:
    """(changes, agents that can be wired); what is left alone is said."""
    changes: list[Change] = []
    able = []
    for harness in harnesses:
        installer = wiring.INSTALLERS[harness]
        if not installer.is_automatic:
            out.say(f"{installer.label} is connected by hand: stash hooks show {harness}")
            continue
        try:
            changes += [change for change in wiring.plan(harness) if change not in changes]
            able.append(harness)
        except ByHand as refused:
            out.say(plain(str(refused)), f"  What to add: stash hooks show {harness}")
    return changes, able


def _agreed(out: Output, changes: list[Change]) -> bool:
    visible = [change for change in changes if change.before != change.after]
    for change in visible:
        out.say("", f"{change.why}: {plain(str(change.path))}", _coloured(out, plain(change.diff())))
    if not visible:
        return True
    files = "file" if len(visible) == 1 else "files"
    return out.ask(f"Change {len(visible)} {files}? Copies of them as they are now are kept.", default=False)


def _coloured(out: Output, diff: str) -> str:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return "\n".join(
        out.styled(line, styles[line[0]]) if line[:1] in styles else line for line in diff.splitlines()[2:]
    )
