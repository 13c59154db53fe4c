"""What a command printed: first and last lines on the page, the middle folded, a long middle on request."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from sessions_app.rendering.text import lines_of

HEAD, TAIL = 8, 12
FAILED_HEAD, FAILED_TAIL = 4, 16
LEAST_FOLDED = 6
"""Fewer hidden lines than this would save nothing."""
INLINE = 16_000
"""Characters of a fold that travel with the page; a longer middle is loaded when it is opened."""
_MOST_ERRORS = 8

_ERROR = re.compile(
    r"\s{0,20}(?:E\s{2,}|error(?:\[|:|\b.{0,40}:)|fatal:|panic:|FAILED\b|FAIL\b|ERROR\b|AssertionError|npm ERR!"
    r"|Traceback \(most recent|[\w.]{0,80}(?:Error|Exception)\b(?::|$))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Output:
    """``head``, ``middle`` and ``tail`` are safe HTML. ``folded``: lines behind the fold; ``middle`` is empty when it
    is too long to travel with the page.
    """

    head: SafeString
    folded: int = 0
    middle: SafeString | str = ""
    tail: SafeString | str = ""
    middle_url: str = ""


def output_of(text: str, *, failed: bool = False, url: str = "") -> Output:
    """Folded for the page. Error lines of a failure stay outside the fold; ``url`` is where a long middle is loaded."""
    lines = lines_of(text)
    head, middle, tail = _parts(lines, failed)
    if not middle:
        return Output(_html(lines, failed))
    too_long = sum(map(len, middle)) > INLINE
    kept = _errors_in(middle) if failed else []
    return Output(
        head=_html(head, failed),
        folded=len(middle),
        middle="" if too_long else _html(middle, failed),
        tail=_html([*kept, "⋯", *tail] if kept else tail, failed),
        middle_url=url if too_long else "",
    )


def middle_of(text: str, *, failed: bool = False) -> SafeString:
    """All the lines behind the fold."""
    return _html(_parts(lines_of(text), failed)[1], failed)


def is_error(line: str) -> bool:
    return bool(_ERROR.match(line[:200]))


def _parts(lines: list[str], failed: bool) -> tuple[list[str], list[str], list[str]]:
    head, tail = (FAILED_HEAD, FAILED_TAIL) if failed else (HEAD, TAIL)
    if failed:
        # What follows the error says what went wrong; the frames before it can wait behind the fold.
        tail = next((tail - at for at, line in enumerate(lines[-tail:]) if is_error(line)), tail)
        tail = max(tail, 4)
    if len(lines) < head + tail + LEAST_FOLDED:
        return lines, [], []
    return lines[:head], lines[head:-tail], lines[-tail:]


def _errors_in(lines: list[str]) -> list[str]:
    return [line for line in lines if is_error(line)][:_MOST_ERRORS]


def _html(lines: list[str], failed: bool) -> SafeString:
    rows = (f'<span class="err">{escape(line)}</span>' if failed and is_error(line) else escape(line) for line in lines)
    return mark_safe("\n".join(rows))  # noqa: S308 - every line is escaped
