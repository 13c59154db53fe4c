"""Sets of characters in RE2's words, of all scripts."""

from __future__ import annotations

from stash.vfs.regex.parts import MARK

WORD = r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}"
NO_WORD = r"\p{No}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{Cc}\p{Co}"
SPACE = r"\x09-\x0d\x{85}\p{Z}"
NO_SPACE = (
    r"\x00-\x08\x0e-\x1f!-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"
    r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fdcf}\x{fdd1}-\x{10ffff}"
)
DIGIT, NO_DIGIT = r"\p{Nd}", r"\P{Nd}"

INSIDE = {"w": WORD, "W": NO_WORD, "s": SPACE, "S": NO_SPACE, "d": DIGIT, "D": NO_DIGIT}
"""What an escaped letter adds to a class in brackets."""


def escaped(letter: str) -> str:
    """``\\w`` and its kind outside brackets. What is negated never matches a mark."""
    inside = INSIDE[letter.lower()]
    return f"[^{inside}{MARK}]" if letter.isupper() else f"[{inside}]"


POSIX = {
    "alpha": r"\p{L}\p{Nl}",
    "digit": "0-9",
    "alnum": r"\p{L}\p{Nl}\p{Nd}",
    "upper": r"\p{Lu}",
    "lower": r"\p{Ll}",
    "space": SPACE,
    "blank": r" \t\p{Zs}",
    "punct": r"\p{P}\p{S}",
    "cntrl": r"\p{Cc}",
    "graph": r"\p{L}\p{M}\p{N}\p{P}\p{S}",
    "print": r" \p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}",
    "xdigit": "0-9A-Fa-f",
}
