"""Names that begin the lines of a transcript ("Ada: ..."): they say who, not what, and blur what a text means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

_LABEL = re.compile(r"^([^\W\d_a-z][\w.'-]*(?: [^\W\d_a-z][\w.'-]*)?):\s+")
_OFTEN = 3


def label_of(text: str) -> str:
    match = _LABEL.match(text)
    return match[1] if match else ""


def speakers_in(texts: Iterable[str]) -> set[str]:
    """Labels with which at least three texts begin."""
    return {label for label, times in Counter(map(label_of, texts)).items() if label and times >= _OFTEN}


def without_label(text: str, speakers: Collection[str]) -> str:
    label = label_of(text)
    return text[len(label) + 1 :].lstrip() if label in speakers else text


def without_names(text: str, speakers: Collection[str]) -> str:
    """A question without them, unless nothing else is asked."""
    if not speakers:
        return text
    names = "|".join(re.escape(name) for name in sorted(speakers, key=len, reverse=True))
    left = " ".join(re.sub(rf"\b(?:{names})\b(?:'s\b)?", " ", text).split())
    return left if re.search(r"\w", left) else text
