"""What may be in a page: text without secrets and without signs that only terminals obey; otherwise to the byte."""

from __future__ import annotations

import re

from accounts.selectors import patterns_of
from stash.actors import Actor
from stash.errors import Invalid, TooLarge
from stash.gitstore.paths import BadPath, checked
from stash_client.privacy import scrub

MOST_BYTES = 1024 * 1024
_PIECE = 50_000
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.?)", re.DOTALL)


def page_path(path: str) -> str:
    """The path of a page as it is kept. Raises Invalid with the reason."""
    try:
        path = checked(path)
    except BadPath as error:
        raise Invalid(error.reason, code="bad_path") from None
    if not path.endswith(".md") or path.endswith("/.md"):
        raise Invalid("The path of a page ends with .md.", code="bad_path")
    return path


def clean_text(actor: Actor, text: str) -> str:
    """The text as it is kept: unchanged, unless it holds secrets or controls. Raises TooLarge."""
    text = text.encode("utf-8", "replace").decode()
    if len(text.encode()) > MOST_BYTES:
        raise TooLarge(f"A page may have {MOST_BYTES} bytes.", limit=MOST_BYTES)
    text = _CONTROLS.sub("", _ESCAPES.sub("", text))
    return "".join(_scrubbed(actor, piece) for piece in _pieces(text))


def has_controls(text: str) -> bool:
    return bool(_CONTROLS.search(text))


def secrets_in(actor: Actor, text: str) -> list[str]:
    """Kinds of secrets in it."""
    found: set[str] = set()
    for piece in _pieces(text):
        found |= set(scrub(piece, patterns=patterns_of(actor)).redactions)
    return sorted(found)


def _scrubbed(actor: Actor, piece: str) -> str:
    clean = scrub(piece, patterns=patterns_of(actor))
    if not clean.redactions:
        return piece
    said = clean.value
    if "\r\n" in piece and not re.search(r"(?<!\r)\n", piece):
        said = said.replace("\n", "\r\n")
    return "\ufeff" + said if piece.startswith("\ufeff") and not said.startswith("\ufeff") else said


def _pieces(text: str) -> list[str]:
    """Whole where that is possible; long texts at blank lines or ends of lines, so that nothing is cut off."""
    pieces = []
    while len(text) > _PIECE:
        cut = max(text.rfind("\n\n", _PIECE // 2, _PIECE) + 2, text.rfind("\n", _PIECE // 2, _PIECE) + 1) or _PIECE
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]
