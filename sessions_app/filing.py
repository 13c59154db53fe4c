"""The name of a session among files: ``2026-11-24`` / ``0915-fix-the-totals-9f3a9c1e``. Decided once, at its first
prompt, so that a path which somebody wrote down leads to the same session for ever.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:  # the models import this module
    from sessions_app.models import Session

LONGEST_SLUG = 40
UNTITLED = "untitled"
_PLACEHOLDER = re.compile(r"\[redacted:[^\]]*\]")


def filed(session_id: UUID, at: datetime, title: str) -> tuple[date, str]:
    """(the day, the name within it), in UTC. The last eight digits of the id make it unique."""
    moment = at.astimezone(UTC)
    return moment.date(), f"{moment.hour:02}{moment.minute:02}-{slug_of(title)}-{session_id.hex[-8:]}"


def path_of(session: Session) -> str:
    """Where it is found first among the files: in its project, or with its person; "" before its first prompt."""
    if session.filed_on is None:
        return ""
    above = f"/projects/{session.project.slug}" if session.project else "/me"
    return f"{above}/sessions/{session.filed_on}/{session.filed_as}"


def slug_of(title: str) -> str:
    """Letters of any script, digits and hyphens: nothing that a shell, a file system or a reader could misread."""
    plain = unicodedata.normalize("NFKC", _PLACEHOLDER.sub(" ", title)).casefold()
    kept = "".join(c if unicodedata.category(c)[0] in "LNM" else "-" for c in unicodedata.normalize("NFC", plain))
    words = [word for word in kept.split("-") if word and unicodedata.category(word[0])[0] != "M"]
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        slug = longer
    return slug or UNTITLED
