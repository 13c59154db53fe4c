"""Plain text made safe to look at: hidden characters become visible, long lines and embedded data are cut."""

from __future__ import annotations

import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

MOST_IN_A_LINE = 2000

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
    # Joiners belong between letters of many scripts and in emoji; beside ASCII they only hide something.
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{400,}={0,2}")
_MIXED = re.compile(r"[a-z].*[A-Z]|[A-Z].*[a-z]", re.DOTALL)
_LINK = re.compile(r"https?://[^\s<>\"'`\x00-\x1f]{1,1000}")
_TRAILING = ".,;:!?)]}»…"


def _as_picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"‹U+{code:04X}›"


def shown(text: str) -> str:
    """The text with control, bidirectional and zero-width characters spelled out: ``␛[2J``, ``abc‹U+202E›gnp.exe``.

    Tabs and line ends stay; ``\\r\\n`` is one line end.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_as_picture, text.replace("\r\n", "\n"))


def one_line(text: str, limit: int = 200) -> str:
    """First words on one line, cut at ``limit`` characters."""
    words = " ".join(shown(text[: limit * 4]).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def without_data(text: str) -> str:
    """Embedded base64 becomes a note of its length."""
    if len(text) < 400:
        return text
    return _BASE64.sub(_note_of_data, text)


def _note_of_data(match: re.Match[str]) -> str:
    data = match.group()
    # A ruler of one letter or a long hexadecimal dump is not base64.
    return f"[{len(data)} characters of base64]" if _MIXED.search(data[:400]) else data


def cut_line(line: str) -> str:
    if len(line) <= MOST_IN_A_LINE:
        return line
    return f"{line[:MOST_IN_A_LINE]} … {len(line) - MOST_IN_A_LINE} more characters"


def lines_of(text: str) -> list[str]:
    """Lines ready to be escaped and shown."""
    return [cut_line(line) for line in shown(without_data(text)).rstrip("\n").split("\n")]


def linked(text: str) -> SafeString:
    """Escaped text in which http(s) addresses are links."""
    parts: list[str] = []
    end = 0
    for match in _LINK.finditer(text):
        url = match.group().rstrip(_TRAILING)
        parts.append(escape(text[end : match.start()]))
        parts.append(f'<a href="{escape(url)}" rel="nofollow noopener noreferrer">{escape(url)}</a>')
        end = match.start() + len(url)
    parts.append(escape(text[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part is escaped above
