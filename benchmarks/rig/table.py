"""Small tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Columns of numbers to the right, the first column of words to the left."""
    cells = [list(head), *[[_text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    print(f"\n{title}")
    for row in cells:
        first, *rest = row
        print("  " + "  ".join([first.ljust(widths[0]), *[c.rjust(w) for c, w in zip(rest, widths[1:], strict=True)]]))


def _text(cell: object) -> str:
    return f"{cell:,.2f}" if isinstance(cell, float) else str(cell)


def verdict(ratio: float, limit: float, *, at_least: bool = False) -> str:
    """ "0.52 (≥ 0.40 ok)"."""
    good = ratio >= limit if at_least else ratio <= limit
    return f"{ratio:.2f} ({'≥' if at_least else '≤'} {limit:g} {'ok' if good else 'MISSED'})"
