"""Our marked block in rule files (AGENTS.md, CLAUDE.md, GEMINI.md): put at the end, taken out without a trace."""

from __future__ import annotations

import re
from pathlib import Path

from stash_client.wiring import files
from stash_client.wiring.edits import NotSure

BEGIN, END = "<!-- stash:begin", "<!-- stash:end -->"
_BLOCK = re.compile(
    rf"(?P<lead>(?:\r?\n)*){BEGIN}(?: \+(?P<put>\d))? -->\r?\n(?P<body>.*?)\r?\n{END}(?:\r?\n|$)", re.DOTALL
)


def write_block(path: Path, text: str) -> bool:
    """Put ``text`` into our block, in place or at the end; whether the file changed. Raises NotSure, OSError.

    The first line of the block says how many line breaks were put before it: taking it out takes those too.
    """
    path = files.real(path)
    data = files.read(path)
    before = _decoded(data or b"")
    newline = "\r\n" if before.count("\r\n") * 2 > before.count("\n") else "\n"
    body = newline.join(text.strip("\n").splitlines())
    if BEGIN in body or END in body:
        raise NotSure("the text holds the mark of the block itself")
    match = _find(before)
    after = _appended(before, body, newline) if match is None else _replaced(before, match, body)
    if data is not None and after == before:
        return False
    files.back_up(path)
    files.write(path, after.encode("utf-8"))
    return True


def remove_block(path: Path) -> bool:
    """The file as it was; it goes when there was nothing else in it. Raises NotSure, OSError."""
    path = files.real(path)
    data = files.read(path)
    before = _decoded(data or b"")
    match = _find(before)
    if match is None:
        return False
    breaks = re.findall(r"\r?\n", match["lead"])
    kept = "".join(breaks[: max(len(breaks) - int(match["put"] or 0), 0)])
    after = before[: match.start()] + kept + before[match.end() :]
    files.back_up(path)
    if after:
        files.write(path, after.encode("utf-8"))
    else:
        files.remove(path, ())
    return True


def has_block(path: Path) -> bool:
    try:
        return BEGIN.encode() in path.read_bytes()
    except OSError:
        return False


def _find(text: str) -> re.Match[str] | None:
    """Raises NotSure for a block that does not end, or that is there twice."""
    begins, ends = text.count(BEGIN), text.count(END)
    match = _BLOCK.search(text)
    if begins != ends or begins > 1 or (begins and match is None):
        raise NotSure(f"its '{BEGIN} -->' and '{END}' do not match")
    return match


def _appended(before: str, body: str, newline: str) -> str:
    """Set apart by an empty line from what stands above."""
    put = 0 if not before.strip("\ufeff") else 1 if before.endswith("\n") else 2
    mark = f"{BEGIN} +{put} -->" if put else f"{BEGIN} -->"
    return before + newline * put + newline.join((mark, body, END)) + newline


def _replaced(before: str, match: re.Match[str], body: str) -> str:
    return before[: match.start("body")] + body + before[match.end("body") :]


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotSure("it is not UTF-8") from None
