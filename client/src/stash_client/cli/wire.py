"""Finding agents and wiring them after a yes: which files change is shown first."""

from __future__ import annotations

from stash_client import wiring
from stash_client.cli.changes import agreed, listed
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
    if shown := listed(changes, out):
        out.say("Their settings would get the calls of Stash, and nothing else in them would change:", *shown)
    elif wanted:
        out.say("They call Stash already.")
    if not agreed(changes, out, default=False):
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
