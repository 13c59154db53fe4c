"""From what was asked to a matcher of lines, with a quick look at whole blocks first."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import re2

from stash.vfs.errors import Failure
from stash.vfs.regex import perl, posix
from stash.vfs.regex.classes import WORD
from stash.vfs.regex.engine import quiet
from stash.vfs.regex.needles import needle_of
from stash.vfs.regex.parts import MARK, Part, atom, has_edges, marked, plain, without_edges

_MARK = MARK.encode()
_WIDTHS = re.compile("[\uff00-\uffef]+")
_IN_WORDS = re2.compile(f"[{WORD}]+", quiet())


class Dialect(Enum):
    BASIC, EXTENDED, PERL, FIXED = "basic", "extended", "perl", "fixed"


@dataclass(frozen=True)
class Wish:
    """``longest``: of all matches at a place the longest, as POSIX wants; else the first alternative."""

    patterns: tuple[str, ...]
    dialect: Dialect
    fold: bool = False
    words: bool = False
    lines: bool = False
    longest: bool = False


class Matcher:
    """Of one line, given without its end."""

    def __init__(self, wish: Wish) -> None:
        parts = _parts(wish)
        self.wish = wish
        self._regex = _compiled(_wrapped(plain(parts), wish), wish)
        self._block = _compiled(f"(?m){_wrapped(without_edges(parts), wish)}", wish)
        self.needle = needle_of(parts)
        self._marked = None
        self._parts = parts if has_edges(parts) else None

    def may_match(self, block: bytes) -> bool:
        """False: no line of it matches."""
        if self._block.search(block) is not None:
            return True
        other = usual_form(block)
        return other is not block and self._block.search(other) is not None

    def matches(self, line: bytes) -> bool:
        if self._matches(line):
            return True
        other = usual_form(line)
        return other is not line and self._matches(other)

    def _matches(self, line: bytes) -> bool:
        if self._parts is None or line.isascii():
            return self._regex.search(line) is not None
        return self._with_marks().search(_with_marks(line)) is not None

    def found_in(self, line: bytes) -> list[bytes]:
        """The texts that match, none of them empty."""
        found = [line[start:end] for start, end in self.spans(line)]
        other = usual_form(line)
        if found or other is line:
            return found
        return [other[start:end] for start, end in self.spans(other)]

    def spans(self, line: bytes) -> Iterator[tuple[int, int]]:
        """Where it matches, in bytes, without empty matches."""
        if self._parts is None or line.isascii():
            yield from self._spans(self._regex, line)
            return
        text = _with_marks(line)
        for start, end in self._spans(self._with_marks(), text):
            before, within = text.count(_MARK, 0, start), text.count(_MARK, start, end)
            first = start - before * len(_MARK)
            last = first + end - start - within * len(_MARK)
            if last > first:
                yield first, last

    def _spans(self, regex: Any, line: bytes) -> Iterator[tuple[int, int]]:
        group, at = (1 if self.wish.words else 0), 0
        while at <= len(line):
            found = regex.search(line, at)
            if found is None:
                return
            start, end = found.span(group)
            if end > start:
                yield start, end
            at = end if end > at else _next(line, at)

    def _with_marks(self) -> Any:
        if self._marked is None:
            assert self._parts is not None
            self._marked = _compiled(_wrapped(marked(self._parts), self.wish), self.wish)
        return self._marked


def usual_form(text: bytes) -> bytes:
    """Accents composed, half and full width as usual, when it is written otherwise; else the same object.

    What looks the same is found the same, whichever way it was typed.
    """
    if text.isascii():
        return text
    said = text.decode("utf-8", "replace")
    wide = _WIDTHS.sub(lambda match: unicodedata.normalize("NFKC", match.group()), said)
    usual = unicodedata.normalize("NFC", wide)
    return text if usual == said else usual.encode("utf-8", "replace")


@lru_cache(maxsize=64)
def matcher(wish: Wish) -> Matcher:
    """Raises Failure (2) that names what is wrong or not known."""
    return Matcher(wish)


def _parts(wish: Wish) -> list[Part]:
    """All patterns as alternatives of one."""
    parts: list[Part] = []
    for position, pattern in enumerate(wish.patterns):
        parts += [Part("glue", "|")] if position else []
        read = _read(pattern, wish.dialect)
        parts += [Part("glue", "(?:"), *read, Part("glue", ")")] if len(wish.patterns) > 1 else read
    return parts


def _read(pattern: str, dialect: Dialect) -> Sequence[Part]:
    pattern = unicodedata.normalize("NFC", pattern)
    if dialect is Dialect.FIXED:
        return [atom(char) for char in pattern]
    if dialect is Dialect.PERL:
        return perl.parts_of(pattern)
    return posix.parts_of(pattern, extended=dialect is Dialect.EXTENDED)


def _wrapped(pattern: str, wish: Wish) -> str:
    if wish.lines:
        return f"^(?:{pattern})$"
    if wish.words:
        outside = f"[^{WORD}]"
        return f"(?:^|{outside})({pattern})(?:$|{outside})"
    return pattern


def _compiled(pattern: str, wish: Wish) -> Any:
    try:
        return re2.compile(pattern.encode("utf-8", "replace"), quiet(longest=wish.longest, fold=wish.fold))
    except re2.error as error:
        said = error.args[0] if error.args else b""
        raise Failure(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said), 2) from None


def _next(line: bytes, at: int) -> int:
    """The place of the next character."""
    at += 1
    while at < len(line) and line[at] & 0xC0 == 0x80:
        at += 1
    return at


def _with_marks(line: bytes) -> bytes:
    """A mark at both ends of every word."""
    if _MARK in line:
        line = line.replace(_MARK, b"")
    out, at = bytearray(), 0
    for found in _IN_WORDS.finditer(line):
        start, end = found.span()
        out += line[at:start] + _MARK + line[start:end] + _MARK
        at = end
    return bytes(out + line[at:])
