"""How agents take context from the answer of a hook; nothing where it would reach the model or be an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Optional

Answer = Callable[[str, Optional[str]], bytes]


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
        return context.encode("utf-8", "replace") if context and event in names else b""

    return answer
