"""Agents whose hooks are called like Claude Code's: which of its events they have, and how they take context."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Optional

from stash_client.harnesses.base import Handler
from stash_client.harnesses.claude_code.hooks import EVENTS

TURN = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
"""What nearly all of them have."""
Answer = Callable[[str, Optional[str]], bytes]


def events(*names: str, **own: Handler) -> Mapping[str, Handler]:
    """These of Claude Code's events with its meanings; ``own`` are others, or mean something else here."""
    return {**{name: EVENTS[name] for name in names}, **own}


def context_after(*names: str) -> Answer:
    """The answer of agents that read ``hookSpecificOutput`` after these events; nothing after any other."""

    def answer(event: str, context: Optional[str]) -> bytes:
        if not context or event not in names:
            return b""
        return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}).encode()

    return answer


def text_after(*names: str) -> Answer:
    """The answer of agents that hand plain text on to the model after these events."""

    def answer(event: str, context: Optional[str]) -> bytes:
        return context.encode() if context and event in names else b""

    return answer
