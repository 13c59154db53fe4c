"""Which paths a repository of pages may hold: those that every system can check out, and that lead nowhere else."""

from __future__ import annotations

import re
import unicodedata

MOST_PATH = 400
MOST_PART = 200
MOST_DEPTH = 12
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"} | {f"{n}{d}" for n in ("com", "lpt") for d in "0123456789¹²³"}
)
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
_ENCODED = re.compile(r"%(?:2e|2f|5c|25|00)", re.IGNORECASE)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]+")


class BadPath(ValueError):
    """``reason`` is a sentence for the writer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def checked(path: str) -> str:
    """The path as it is kept: NFC, ``/`` between the parts. Raises BadPath; repairs nothing but the normal form."""
    try:
        size = len(unicodedata.normalize("NFC", path).encode())
    except UnicodeEncodeError:
        raise BadPath("The path is not valid Unicode.") from None
    path = unicodedata.normalize("NFC", path)
    if not path:
        raise BadPath("A path is needed.")
    if size > MOST_PATH:
        raise BadPath(f"The path has more than {MOST_PATH} bytes.")
    if _ENCODED.search(path):
        raise BadPath("The path holds percent-encoded signs of paths.")
    parts = path.split("/")
    if len(parts) > MOST_DEPTH:
        raise BadPath(f"The path is more than {MOST_DEPTH} folders deep.")
    for part in parts:
        if reason := _wrong_with(part):
            raise BadPath(f"{reason}: {part[:60]!r}")
    return path


def _wrong_with(part: str) -> str:
    if not part or part in (".", ".."):
        return "Parts of a path have names"
    if _FORBIDDEN.search(part) or any(_is_unseen(sign) for sign in part):
        return "Not every system can write this name"
    if part[0] in ".~-" or part[0].isspace():
        return "A name may not begin with a dot, a tilde, a dash or a space"
    if part[-1] == "." or part[-1].isspace():
        return "A name may not end with a dot or a space"
    if part.split(".")[0].rstrip().casefold() in _RESERVED:
        return "Windows keeps this name for itself"
    if re.fullmatch(r"git~\d+", part, re.IGNORECASE):
        return "This name can stand for .git"
    return f"A name may have {MOST_PART} bytes" if len(part.encode()) > MOST_PART else ""


def _is_unseen(sign: str) -> bool:
    return unicodedata.category(sign) in _UNSEEN and sign not in _JOINERS


def key_of(path: str) -> str:
    """Two paths with one key are one file on some systems."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def name_for(title: str) -> str:
    """A name for a file (without its ending) that says what the title says, and that ``checked`` takes."""
    clean = "".join(
        " " if _is_unseen(sign) else sign for sign in unicodedata.normalize("NFC", title) if not _lone(sign)
    )
    clean = re.sub(r"[<>:\"|?*\\/#^\[\]%`$;&']+", " ", clean)
    name = _SPACES.sub("-", clean.strip()).strip(" .-~") or "page"
    name = re.sub(r"-{2,}", "-", name)
    while len(name.encode()) > 120:
        name = name[:-1]
    name = name.rstrip(" .-") or "page"
    return f"{name}-page" if _wrong_with(name) else name


def _lone(sign: str) -> bool:
    return unicodedata.category(sign) == "Cs"
