"""The two ends of a huge text: what will be cut away anyway is not searched, but the cuts are made with care.

``<private>`` passages can be of any length, so they are looked for in the whole text first. Every other secret, with
what tells that it is one, is shorter than NEAR, unless it is one word of letters, digits and ``+/=_.~%-``. Around each
cut the text is therefore searched while it is whole: a secret, or such a word, that crosses the cut goes with the
middle; secrets beside the cut are taken out before their surroundings go. What is kept is then scrubbed like any text.
"""

from __future__ import annotations

import string
from collections import Counter

from .blocks import find_private_passages
from .page import Finding, Page
from .patterns import Patterns
from .text import findings_in, merged, replaced

SEARCHED = 2 * 1024 * 1024
"""Characters of one text that are searched for everything, half of them at each end."""
NEAR = 128 * 1024
_WORD = string.ascii_letters + string.digits + "+/=_.~%-"
"""What keys and tokens without a greatest length are made of."""


def both_ends(text: str, patterns: Patterns) -> tuple[str, int, Counter[str]]:
    """The ends with a line between them, how many bytes were left out, and the findings taken out on the way."""
    counts: Counter[str] = Counter()
    if len(text) <= SEARCHED:
        return text, 0, counts
    if "private" in text.lower():
        text = _without(text, merged(find_private_passages(Page(text)), text), counts)
    if len(text) <= SEARCHED:
        return text, 0, counts
    left, right = SEARCHED // 2, len(text) - SEARCHED // 2
    before, after = _around(text, left, patterns), _around(text, right, patterns)
    stop, start = _stop(text, left, before), _start(text, right, after)
    head = _without(text[:stop], [f for f in before if left - NEAR <= f.start and f.end <= stop], counts)
    beside = [f for f in after if start <= f.start and f.end <= right + NEAR]
    tail = _without(text[start:], [Finding(f.start - start, f.end - start, f.type) for f in beside], counts)
    gone = len(text[stop:start].encode("utf-8", "replace"))
    return f"{head}\n[… {gone} bytes left out …]\n{tail}", gone, counts


def _without(text: str, findings: list[Finding], counts: Counter[str]) -> str:
    counts.update(finding.type for finding in findings)
    return replaced(text, findings)


def _around(text: str, cut: int, patterns: Patterns) -> list[Finding]:
    floor = max(0, cut - 2 * NEAR)
    window = text[floor : cut + 2 * NEAR]
    return [Finding(floor + f.start, floor + f.end, f.type) for f in merged(findings_in(window, patterns), window)]


def _stop(text: str, cut: int, findings: list[Finding]) -> int:
    """The last place at or before ``cut`` that divides nothing."""
    while True:
        place = _word_start(text, min((f.start for f in findings if f.start < cut < f.end), default=cut))
        if place == cut:
            return cut
        cut = place


def _start(text: str, cut: int, findings: list[Finding]) -> int:
    """The first place at or after ``cut`` that divides nothing."""
    while True:
        place = _word_end(text, max((f.end for f in findings if f.start < cut < f.end), default=cut))
        if place == cut:
            return cut
        cut = place


def _word_start(text: str, at: int) -> int:
    while at > 0:
        begin = max(0, at - NEAR)
        kept = len(text[begin:at].rstrip(_WORD))
        if kept:
            return begin + kept
        at = begin
    return 0


def _word_end(text: str, at: int) -> int:
    while at < len(text):
        piece = text[at : at + NEAR]
        rest = len(piece.lstrip(_WORD))
        if rest:
            return at + len(piece) - rest
        at += len(piece)
    return at
