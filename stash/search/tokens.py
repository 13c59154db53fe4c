"""The tokenizer: text to words of the index. The application does it, so that every database finds the same.

Identifiers count whole and in parts (``getUserName``: getusername, get, user, name), runs joined by ``- . / : @ _``
in parts and joined (``--no-verify``: no, verify, noverify), scripts without spaces as pairs of characters. Accents,
width and letter case do not count; plain English words are reduced to their stem.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import snowballstemmer

from stash.search.stopwords import STOP

MOST_TEXT = 20_000
"""Characters of one text that are looked at."""
MOST_TOKENS = 2_000
_LONGEST = 60
_MOST_PARTS = 24
_MOST_KNOWN = 200_000

# Scripts that put no spaces between words: kana, Chinese, Hangul, Thai, Lao, Myanmar, Khmer, Tibetan.
_DENSE = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
_JOINS = r"[-./:@&]"
_INSIDE = "_-./:@&"
_ASCII_RUN = re.compile(rf"\w+(?:{_JOINS}{{1,2}}\w+)*", re.ASCII)
# Marks belong to the letters before them: folding removes those of European scripts only.
_LETTER = rf"(?:(?![{_DENSE}])[\w\u0300-\u036f\u0900-\u0dff])"
_RUN = re.compile(rf"[{_DENSE}]+|{_LETTER}+(?:{_JOINS}{{1,2}}{_LETTER}+)*")
_SPAN = re.compile(rf"\b[cf]#|\bc\+\+|<=>|{_RUN.pattern}", re.IGNORECASE)
_IS_DENSE = re.compile(rf"[{_DENSE}]")
_SPLIT = re.compile(r"[-./:@&_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_MIXED_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,}", re.IGNORECASE)
_NAMES = (
    (re.compile(r"\bc\+\+", re.IGNORECASE), " cplusplus "),
    (re.compile(r"\bc#", re.IGNORECASE), " csharp "),
    (re.compile(r"\bf#", re.IGNORECASE), " fsharp "),
    (re.compile(r"<=>"), " spaceshipop "),
)
_BASES = {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}

_stemmer = snowballstemmer.stemmer("porter")
_known: dict[str, tuple[str, ...]] = {}


class _Folds(dict[int, str]):
    """Of each letter the one without accents, found when it is first met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        self[code] = folded = _folded(letter)
        return folded


def _folded(letter: str) -> str:
    if "\u0300" <= letter <= "\u036f":
        return ""
    if letter < "\u0080":
        return letter
    base = unicodedata.normalize("NFD", letter)
    if len(base) > 1 and all("\u0300" <= mark <= "\u036f" for mark in base[1:]):
        letter = base[0]
    return _BASES.get(letter.lower(), letter)


_folds = _Folds()


def tokens(text: str) -> list[str]:
    """The words of a text in order, repeated as often as they stand there; at most MOST_TOKENS."""
    found: list[str] = []
    for run in _runs(text[:MOST_TEXT]):
        found += _known.get(run) or words_of(run)
        if len(found) >= MOST_TOKENS:
            return found[:MOST_TOKENS]
    return found


def query_tokens(text: str) -> list[str]:
    """The different words of a question in order; single letters only where there is nothing else."""
    found = list(dict.fromkeys(tokens(text[:MOST_TEXT])))
    return [word for word in found if len(word) > 1 or not word.isalpha()] or found


def spans(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """(start, end, words) of every run of a text as it stands there, in pairs of characters where words have no
    spaces: for highlighting."""
    plain = text.isascii() and not ("+" in text or "#" in text or "<=>" in text)
    for match in (_ASCII_RUN if plain else _SPAN).finditer(text):
        run = match.group()
        if run.isascii() and (plain or run[-1] not in "+#>"):
            yield match.start(), match.end(), _known.get(run) or words_of(run)
        elif _IS_DENSE.match(run):
            yield from _spans_of_pairs(run, match.start())
        else:
            yield match.start(), match.end(), tuple(tokens(run))


def _spans_of_pairs(run: str, start: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    plain = unicodedata.normalize("NFKC", run)
    if len(plain) != len(run) or len(run) == 1:
        yield start, start + len(run), words_of(plain)
        return
    for at in range(len(run) - 1):
        yield start + at, start + at + 2, words_of(plain[at : at + 2])


def run_around(text: str, at: int) -> tuple[int, int]:
    """The ends of the run of an ASCII text that goes over a place in it."""
    start = at
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in _INSIDE):
        start -= 1
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in _INSIDE):
        end += 1
    return start, end


def _runs(text: str) -> list[str]:
    if "+" in text or "#" in text or "<=>" in text:
        for pattern, word in _NAMES:
            text = pattern.sub(word, text)
    if text.isascii():
        return _ASCII_RUN.findall(text)
    return _RUN.findall(unicodedata.normalize("NFKC", text).translate(_folds))


def words_of(run: str) -> tuple[str, ...]:
    """The words of one run of letters, remembered: texts repeat themselves."""
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    found = _pairs(run) if _IS_DENSE.match(run) else tuple(_reduced(_parts(run)))
    if len(run) <= 100:
        _known[run] = found
    return found


def _pairs(run: str) -> tuple[str, ...]:
    return (run,) if len(run) == 1 else tuple(run[at : at + 2] for at in range(len(run) - 1))


def _parts(run: str) -> Iterator[str]:
    words = [word for word in _SPLIT.split(run) if word][:_MOST_PARTS]
    for word in words:
        if _MIXED_HEX.fullmatch(word) or not word.isascii():  # the parts of an id mean nothing
            yield word.casefold()[:_LONGEST]
            continue
        parts = _CAMEL.findall(word)[:_MOST_PARTS]
        if len(parts) > 1:
            yield word.casefold()[:_LONGEST]
        for part in parts:
            yield part.casefold()[:_LONGEST]
    if len(words) > 1 and len(run) <= _LONGEST:
        yield "".join(words).casefold()


def _reduced(parts: Iterator[str]) -> Iterator[str]:
    for part in parts:
        if part in STOP:
            continue
        plain = len(part) > 2 and part.isascii() and part.isalpha()
        yield _stemmer.stemWord(part) if plain else part
