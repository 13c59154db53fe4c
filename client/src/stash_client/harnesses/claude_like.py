"""Agents whose hooks are called like Claude Code's: which of its events they have."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.harnesses.base import Handler
from stash_client.harnesses.claude_code.hooks import EVENTS

TURN = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
"""What nearly all of them have."""


def events(*names: str, **own: Handler) -> Mapping[str, Handler]:
    """These of Claude Code's events with its meanings; ``own`` are others, or mean something else here."""
    return {**{name: EVENTS[name] for name in names}, **own}
