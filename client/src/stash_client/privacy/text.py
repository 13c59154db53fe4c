"""The whole text at once: every finder looks, what they found is merged and replaced."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from .assignments import find_assignments
from .blocks import find_private_keys, find_private_passages
from .commands import find_command_secrets
from .headers import find_header_secrets
from .page import Finding, Page
from .patterns import Patterns
from .tokens import find_team_tokens, find_tokens
from .urls import find_url_secrets
from .values import IMAGE_NOTE, PLACEHOLDER

_ROUNDS = 8
"""Taking one secret out can show another beside it; hostile text cannot make more than this many rounds."""


def redact(text: str, patterns: Patterns) -> tuple[str, Counter[str]]:
    """The text with ``[redacted:<type>]`` for every finding, and how many of each type."""
    counts: Counter[str] = Counter()
    for _ in range(_ROUNDS):
        findings = merged(findings_in(text, patterns), text)
        if not findings:
            break
        counts.update(finding.type for finding in findings)
        text = replaced(text, findings)
    return text, counts


def findings_in(text: str, patterns: Patterns) -> Iterator[Finding]:
    """In order of authority: where two overlap, the earlier one names the type."""
    page = Page(text)
    yield from find_private_passages(page)
    yield from find_private_keys(page)
    yield from find_team_tokens(page, patterns.tokens)
    yield from find_tokens(page)
    yield from find_header_secrets(page)
    yield from find_url_secrets(page)
    yield from find_command_secrets(page)
    yield from find_assignments(page, patterns)


def merged(found: Iterator[Finding], text: str) -> list[Finding]:
    """Sorted and without overlap; what lies inside an earlier placeholder is not a finding."""
    ranked = [(finding.start, rank, finding) for rank, finding in enumerate(found) if finding.end > finding.start]
    if not ranked:
        return []
    settled = _settled(text)
    result: list[tuple[int, Finding]] = []
    for start, rank, finding in sorted(ranked):
        if _is_settled(finding, settled):
            continue
        if result and start < result[-1][1].end:
            last_rank, last = result[-1]
            type = last.type if last_rank <= rank else finding.type
            result[-1] = (min(rank, last_rank), Finding(last.start, max(last.end, finding.end), type))
        else:
            result.append((rank, finding))
    return [finding for _, finding in result]


def _settled(text: str) -> list[tuple[int, int]]:
    spans = [hit.span() for hit in PLACEHOLDER.finditer(text)] if "[redacted:" in text else []
    return sorted(spans + ([hit.span() for hit in IMAGE_NOTE.finditer(text)] if "[image " in text else []))


def _is_settled(finding: Finding, settled: list[tuple[int, int]]) -> bool:
    at = bisect_right(settled, (finding.start, sys.maxsize)) - 1
    return at >= 0 and finding.end <= settled[at][1]


def replaced(text: str, findings: list[Finding]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, type in findings:
        parts += (text[at:start], f"[redacted:{type}]")
        at = end
    parts.append(text[at:])
    return "".join(parts)
