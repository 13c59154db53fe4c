"""The trace: one bar per event, drawn from a string with one letter per event.

p prompt, r reply, t tool, s subagent, e edit, f failure, c compaction, w waiting, n anything else. Geometry is written
as SVG attributes, so a strict content security policy has nothing to refuse.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

LETTERS = "ptresfcwn"
WEIGHT = {letter: rank for rank, letter in enumerate("fwpcerstn")}
UP = {"p": 1.0, "e": 0.78, "r": 0.56, "s": 0.48, "t": 0.32, "n": 0.2}
BASELINE = 0.65
BELOW = 0.3
BAR = 0.6
BUCKETS = 280
SLOTS = 140

NAMES = {"p": ("prompt", "prompts"), "e": ("edit", "edits"), "f": ("failure", "failures"), "c": ("compaction",) * 2}


def clean(letters: object) -> str:
    return "".join(letter if letter in WEIGHT else "n" for letter in str(letters or ""))


def bucketed(letters: str, limit: int = BUCKETS) -> str:
    """At most ``limit`` letters; in each bucket the one a person must not miss wins, failure first."""
    if len(letters) <= limit:
        return letters
    edges = [index * len(letters) // limit for index in range(limit + 1)]
    return "".join(min(letters[start:end], key=WEIGHT.__getitem__) for start, end in pairwise(edges))


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def row_trace(letters: object, step: int = 4, width: int = 128, height: int = 20) -> SafeString:
    """The last events that fit into ``width``. Hidden from screen readers: the row says the state in words."""
    step, width = max(int(step), 2), max(int(width), 2)
    shown = clean(letters)[-(width // step) :]
    base = round(height * BASELINE)
    paths: dict[str, list[str]] = defaultdict(list)
    for slot, letter in enumerate(shown):
        paths[letter].append(_row_bar(letter, slot * step, step, base, height))
    body = "".join(f'<path class="t-{letter}" d="{"".join(paths[letter])}"/>' for letter in LETTERS if letter in paths)
    return format_html(
        '<svg class="trace" width="{}" height="{}" viewBox="0 0 {} {}" aria-hidden="true">'
        '<rect class="t-line" y="{}" width="{}" height="1"/>{}</svg>',
        width,
        height,
        width,
        height,
        base,
        width,
        mark_safe(body),  # noqa: S308 - letters and numbers of ours
    )


def _row_bar(letter: str, x: float, step: int, base: int, height: int) -> str:
    wide = step * BAR
    if letter == "w":
        return f"M{number(x + 1)} {base - 8}l4 4-4 4-4-4z"
    if letter == "c":
        return f"M{number(x + 0.5)} 1v{height - 2}"
    top, tall = (base + 1, round(height * BELOW)) if letter == "f" else _above(letter, base)
    return f"M{number(x)} {number(top)}h{number(wide)}v{number(tall)}h-{number(wide)}z"


def _above(letter: str, base: int) -> tuple[float, float]:
    tall = max(round(base * UP[letter]), 1)
    return base - tall, tall


def header_trace(letters: object, summary: str = "", height: int = 30) -> SafeString:
    """All events over the full width; short sessions keep the bar width of a long one. ``summary``: what it says."""
    shown = bucketed(clean(letters))
    share = 100 / max(len(shown), SLOTS)
    base = round(height * BASELINE)
    bars = "".join(_header_bar(letter, slot * share, share, base, height) for slot, letter in enumerate(shown))
    return format_html(
        '<svg class="tape" width="100%" height="{}" role="img" aria-label="{}" data-tape="{}" data-share="{}">'
        '<rect class="t-line" y="{}" width="100%" height="1"/>{}'
        '<rect class="t-window" y=".5" width="0" height="{}" data-tape-window visibility="hidden"/></svg>',
        height,
        summary or in_words(clean(letters)),
        len(shown),
        number(share),
        base,
        mark_safe(bars),  # noqa: S308 - letters and numbers of ours
        height - 1,
    )


def _header_bar(letter: str, x: float, share: float, base: int, height: int) -> str:
    left = f"{number(x)}%"
    if letter == "w":
        diamond = '<path class="t-w" d="M0-10l5 5-5 5-5-5z"/>'
        return f'<svg x="{number(x + share / 3)}%" y="{base}" overflow="visible">{diamond}</svg>'
    if letter == "c":
        return f'<line class="t-c" x1="{left}" x2="{left}" y1="0" y2="{height}"/>'
    top, tall = (base + 1, round(height * BELOW)) if letter == "f" else _above(letter, base)
    size = f'width="{number(share * BAR)}%" height="{number(tall)}"'
    return f'<rect class="t-{letter}" x="{left}" y="{number(top)}" {size}/>'


def in_words(letters: str) -> str:
    """``142 events: 3 prompts, 12 edits, 9 failures, waiting``."""
    count = Counter(letters)
    parts = [f"{count[letter]} {NAMES[letter][count[letter] != 1]}" for letter in NAMES if count[letter]]
    if letters.endswith("w"):
        parts.append("waiting")
    head = f"{len(letters)} event{'' if len(letters) == 1 else 's'}"
    return f"{head}: {', '.join(parts)}" if parts else head
