"""``stash agents``: which agents are here, whether they call Stash, whether anything came from them, what to do."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import Optional

from stash_client import wiring
from stash_client.cli.output import Output
from stash_client.wiring import Agent, State

EXAMPLES = ("stash agents", "stash agents --json")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also those that are not on this machine")


def run(chosen: Namespace, out: Output) -> None:
    agents = wiring.detected()
    if chosen.all:
        here = {agent.harness for agent in agents}
        agents += [Agent(i.harness, i.label, "") for i in wiring.INSTALLERS.values() if i.harness not in here]
    states = [wiring.state(agent.harness) for agent in agents]
    data = [{"label": agent.label, "found": agent.found, **asdict(state)} for agent, state in zip(agents, states)]
    if not agents:
        out.result({"agents": data}, "No agent was found on this machine. All that Stash knows: stash agents --all")
        return
    rows = [("AGENT", "WIRED", "TRUSTED", "LAST EVENT", "WHAT TO DO")]
    rows += [_row(agent, state) for agent, state in zip(agents, states)]
    out.result({"agents": data}, *out.table(rows), *_overlaps(agents, states))


def _row(agent: Agent, state: State) -> tuple[str, str, str, str, str]:
    trusted = {None: "-", True: "yes", False: "not yet seen"}[state.trusted]
    return agent.label, state.wiring, trusted, _ago(state.seen), state.todo


def _ago(seen: Optional[float]) -> str:
    if seen is None:
        return "never"
    seconds = max(int(time.time() - seen), 0)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "just now"


def _overlaps(agents: list[Agent], states: list[State]) -> list[str]:
    labels = {name: installer.label for name, installer in wiring.INSTALLERS.items()}
    return [
        f"{agent.label} also reads the hooks of {', '.join(labels[other] for other in state.also)}."
        for agent, state in zip(agents, states)
        if state.also and state.wiring in ("wired", "double")
    ]
