"""Wiring agents: which are on this machine, what their settings need, and putting it in and taking it out again.

Every edit of someone else's file is spliced into its text: what is not ours stays byte for byte as it was.
"""

from __future__ import annotations

from stash_client.wiring.agents import Agent, State, detected, state
from stash_client.wiring.declarations import INSTALLERS, Installer, named
from stash_client.wiring.planning import ByHand, Change, Overtaken, apply, plan, removal
from stash_client.wiring.snippets import by_hand

__all__ = [
    "INSTALLERS", "Agent", "ByHand", "Change", "Installer", "Overtaken", "State",
    "apply", "by_hand", "detected", "named", "plan", "removal", "state",
]  # fmt: skip
