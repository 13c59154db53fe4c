"""The fence around what Stash tells an agent, by which it is known again when an agent or a transcript repeats it."""

from __future__ import annotations

import re

OPEN, CLOSE = "<stash-briefing>", "</stash-briefing>"
FIRST_WORDS = "Notes from Stash"
"""What every briefing begins with, so that whoever merely writes about the fence loses nothing."""
MARK = "[stash briefing]"
_BEGIN = re.compile(re.escape(OPEN) + r"(?:\s|\\n){0,4}" + re.escape(FIRST_WORDS))


def without_briefings(text: str) -> str:
    """The text with MARK for every briefing in it; one that was cut off reaches to the end.

    What was told to an agent is other people's work: repeated, it would come back as if it had happened here.
    """
    if OPEN not in text:
        return text
    parts, at = [], 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < at:
            continue
        end = text.find(CLOSE, begin.end())
        parts += [text[at : begin.start()], MARK]
        at = end + len(CLOSE) if end >= 0 else len(text)
    return "".join([*parts, text[at:]])
