"""How long a text may be, and how it is cut."""

from __future__ import annotations

EVENT_TEXT_LIMIT = 256 * 1024
"""Bytes in UTF-8 of one text field of an event, after scrubbing."""

_MARKER = "\n[… {} bytes left out …]\n"
_LINE_REACH = 2048
"""A cut moves to the end of a line when one is this near, so that no word and no placeholder is halved."""


def truncate(text: str, limit_bytes: int, *, before: int = 0) -> tuple[str, int]:
    """Head and tail of the text with a line between them that says how many bytes went; at most ``limit_bytes``.

    ``before``: bytes that had been left out of the middle already. Returns the text and the number of bytes left out,
    0 when it fits.
    """
    if len(text) * 4 <= limit_bytes:
        return text, 0
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit_bytes:
        return text, 0
    room = limit_bytes - len(_MARKER.format(len(raw) + before).encode())
    if room < 16:
        return raw[:limit_bytes].decode("utf-8", "ignore"), len(raw) - limit_bytes
    head = _head(raw, room * 3 // 5)
    tail = _tail(raw, room - room * 3 // 5)
    gone = len(raw) - len(head.encode()) - len(tail.encode()) + before
    return head + _MARKER.format(gone) + tail, gone


def _head(raw: bytes, size: int) -> str:
    line = raw.rfind(b"\n", max(0, size - min(_LINE_REACH, size // 4)), size)
    return raw[: line if line > 0 else size].decode("utf-8", "ignore")


def _tail(raw: bytes, size: int) -> str:
    start = len(raw) - size
    line = raw.find(b"\n", start, start + min(_LINE_REACH, size // 4))
    return raw[line + 1 if line >= 0 else start :].decode("utf-8", "ignore")


def snippet(text: str, length: int) -> str:
    """One line for titles and lists: white space collapsed, at most ``length`` characters, cut at a word with ``…``."""
    line = " ".join(text[: length * 16 + 256].split())
    if len(line) <= length:
        return line
    if length <= 1:
        return line[: max(0, length)]
    cut = line[: length - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space >= length // 2 else cut).rstrip() + "…"
