"""A short marked block in the files that agents read first, and its removal without a trace.

Everything outside of the two marks stays as it is, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_START, _END = "<!-- stash:start -->", "<!-- stash:end -->"


def files(root: Path) -> list[Path]:
    """Those that are there, else AGENTS.md. One that is a link to another is that other; none leads out of ``root``."""
    top = root.resolve()
    real = [(root / name).resolve() for name in NAMES if (root / name).exists()]
    inside = [path for path in dict.fromkeys(real) if top in path.parents and path.is_file()]
    return inside or ([] if real else [root / NAMES[0]])


def with_block(text: str, body: str) -> str:
    """``body`` between our marks: in the place of an earlier one, else at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join([_START, *body.strip().splitlines(), _END])
    if span := _span(text):
        return text[: span[0]] + block + text[span[1] :]
    gap = newline if text else ""
    return text + gap + block + newline


def without_block(text: str) -> str:
    """The text as it was before ``with_block``."""
    span = _span(text)
    if span is None:
        return text
    before, after = text[: span[0]], text[span[1] :]
    if after in ("\n", "\r\n"):
        return before.removesuffix(after)
    return before + after.removeprefix("\r\n" if after.startswith("\r\n") else "\n")


def _span(text: str) -> tuple[int, int] | None:
    """None where there is no pair of marks, and where there are several: then it is not ours to say what is meant."""
    if text.count(_START) != 1 or text.count(_END) != 1:
        return None
    start, end = text.index(_START), text.index(_END) + len(_END)
    return (start, end) if start < end else None
