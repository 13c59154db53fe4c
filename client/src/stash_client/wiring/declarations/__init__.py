"""Every agent we know how to wire, or how a person wires it."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.ids import canonical_harness
from stash_client.wiring.declarations import by_hand, in_full, others
from stash_client.wiring.declarations.base import Installer

INSTALLERS: Mapping[str, Installer] = {
    installer.harness: installer
    for installer in (
        in_full.CLAUDE_CODE, in_full.CODEX, in_full.CURSOR, in_full.GEMINI_CLI, others.OPENCODE, others.OPENCLAW,
        in_full.HERMES, in_full.COPILOT_CLI, in_full.KIRO, others.QWEN_CODE, in_full.DROID, others.KIMI_CODE,
        others.GROK, others.GOOSE, others.CLINE, others.WINDSURF, others.VSCODE_COPILOT, by_hand.ANTIGRAVITY,
        by_hand.DEVIN_CLI, by_hand.PI, by_hand.OMP, by_hand.CRUSH, by_hand.COMMAND_CODE, by_hand.POOL, by_hand.ZCODE,
        by_hand.ZERO,
    )
}  # fmt: skip


__all__ = ["INSTALLERS", "Installer", "named"]


def named(name: str) -> Installer:
    """By name or alias. Raises KeyError."""
    return INSTALLERS[canonical_harness(name)]
