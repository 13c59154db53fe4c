"""What a command printed: first and last lines on the page, the middle folded, the rest on request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

from sessions_app.rendering.text import lines_of

HEAD, TAIL = 8, 12
FAILED_HEAD, FAILED_TAIL = 4, 20
LEAST_FOLDED = 6
"""Fewer hidden lines than this would save nothing."""
INLINE = 16_000
"""Characters of a fold that travel with the page; a longer middle is loaded when it is opened."""

_ERROR = re.compile(
    r"^\s*(?:E\s{2,}|error(?:\[|:|\b.{0,40}:)|fatal:|panic:|FAILED\b|FAIL\b|ERROR\b|AssertionError|npm ERR!"
    r"|Traceback \(most recent|[\w.]*(?:Error|Exception)\b(?::|$))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    error: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """Lines that stand together; ``folded`` ones are behind a fold, with no lines when they must be loaded."""

    lines: tuple[Line, ...]
    folded: int = 0

    @property
    def runs(self) -> list[tuple[bool, str]]:
        """Neighbouring lines of one kind joined: (error?, text)."""
        return [
            (error, "\n".join(line.text for line in group))
            for error, group in groupby(self.lines, key=lambda line: line.error)
        ]


def folded(text: str, *, failed: bool = False, whole: bool = False) -> list[Part]:
    """The output in parts. A failure keeps its error lines outside every fold. ``whole``: with every folded line."""
    lines = [Line(line, failed and is_error(line)) for line in lines_of(text)]
    head, tail = (FAILED_HEAD, FAILED_TAIL) if failed else (HEAD, TAIL)
    if len(lines) < head + tail + LEAST_FOLDED:
        return [Part(tuple(lines))]
    middle = lines[head:-tail]
    parts = [Part(tuple(lines[:head]))]
    if failed and (kept := _first_error(middle)) is not None:
        start, end = kept
        parts += [_fold(middle[:start], whole), Part(tuple(middle[start:end])), _fold(middle[end:], whole)]
    else:
        parts.append(_fold(middle, whole))
    parts.append(Part(tuple(lines[-tail:])))
    return [part for part in parts if part.lines or part.folded]


def is_error(line: str) -> bool:
    return bool(_ERROR.match(line[:200]))


def _first_error(lines: list[Line]) -> tuple[int, int] | None:
    """Where the first error stands, with the lines that continue it (at most eight)."""
    for start, line in enumerate(lines):
        if line.error:
            end = start + 1
            while end < len(lines) and end - start < 8 and lines[end].error:
                end += 1
            return start, end
    return None


def _fold(lines: list[Line], whole: bool) -> Part:
    too_long = not whole and sum(len(line.text) for line in lines) > INLINE
    return Part(() if too_long else tuple(lines), folded=len(lines))
