"""Stored text inside a briefing: on one line, short, and unable to be anything but a quotation."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

_BRACKETS = str.maketrans({"<": "‹", ">": "›", "`": "'", "“": '"', "”": '"'})


def quoted(text: str, longest: int) -> str:
    """In quotation marks that it cannot close."""
    return f"“{plain(text, longest)}”"


def plain(text: str, longest: int) -> str:
    """One line without brackets, so that no tag, fence or heading can be made of it.

    Compatibility forms become ordinary characters first: a full-width bracket is a bracket to a model.
    """
    ordinary = unicodedata.normalize("NFKC", text[: 4 * longest]).translate(_BRACKETS)
    line = " ".join("".join(c if c.isprintable() else " " for c in ordinary).split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def minute(moment: datetime) -> str:
    """Absolute, in UTC: the same words tomorrow, so that what has not changed reads the same to the byte."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"
