"""sed -n with p: lines by number, by pattern, in ranges. It prints; it changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stash.vfs.errors import Failure
from stash.vfs.regex import Dialect, Matcher, Wish, matcher
from stash.vfs.shell.options import Options, given
from stash.vfs.shell.process import Process, bare, ended

_SED = Options("nEr", "e", {"quiet": "n", "silent": "n", "expression=": "e", "regexp-extended": "E"})
_ONLY = "only sed -n 'ADDRESS[,ADDRESS]p' is here, with numbers, $ and /patterns/; as sed -n '10,20p'"
_COMMAND = re.compile(r"\s*(!?)\s*p\s*")


@dataclass(frozen=True)
class _Address:
    """A line number, the last line (0), or lines that match."""

    line: int = 0
    matcher: Matcher | None = None

    def is_at(self, number: int, text: bytes, *, is_last: bool) -> bool:
        if self.matcher is not None:
            return self.matcher.matches(text)
        return is_last if self.line == 0 else number == self.line


@dataclass
class _Print:
    """``p`` with none, one or two addresses; ``inside``: whether the range has begun."""

    first: _Address | None
    last: _Address | None
    negated: bool
    inside: bool = False

    def wants(self, number: int, text: bytes, *, is_last: bool) -> bool:
        return self._is_on(number, text, is_last=is_last) != self.negated

    def _is_on(self, number: int, text: bytes, *, is_last: bool) -> bool:
        if self.first is None:
            return True
        if self.last is None:
            return self.first.is_at(number, text, is_last=is_last)
        if self.inside:
            self.inside = not self._ends(number, text, is_last=is_last)
            return True
        if self.first.is_at(number, text, is_last=is_last):
            # A range that ends on or before its first line is that line alone.
            self.inside = not (self.last.matcher is None and self.last.line and self.last.line <= number)
            return True
        return False

    def _ends(self, number: int, text: bytes, *, is_last: bool) -> bool:
        assert self.last is not None
        if self.last.matcher is None and self.last.line:
            return number >= self.last.line
        return self.last.is_at(number, text, is_last=is_last)

    def is_over(self, number: int) -> bool:
        """Whether no later line can be printed."""
        if self.negated or self.first is None or self.first.matcher is not None or not self.first.line:
            return False
        if self.last is None:
            return number >= self.first.line
        return self.last.matcher is None and bool(self.last.line) and number >= max(self.first.line, self.last.line)


def sed(process: Process) -> Iterator[bytes]:
    asked = given(_SED, process.args)
    if "n" not in asked:
        raise Failure(_ONLY)
    paths = list(asked.operands)
    scripts = asked.values("e") or ([paths.pop(0)] if paths else [])
    dialect = Dialect.EXTENDED if "E" in asked or "r" in asked else Dialect.BASIC
    prints = [one for script in scripts for one in parse(script, dialect)]
    if not prints:
        raise Failure(_ONLY)
    lines = (line for source in process.sources(paths) for line in source.lines)
    yield from _run(prints, lines)


def _run(prints: list[_Print], lines: Iterator[bytes]) -> Iterator[bytes]:
    """One line ahead, because ``$`` is the last."""
    number, line = 0, next(lines, None)
    while line is not None:
        following = next(lines, None)
        number += 1
        text = bare(line)
        for one in prints:
            if one.wants(number, text, is_last=following is None):
                yield ended(line) if following is not None else line
        if all(one.is_over(number) for one in prints):
            return
        line = following


def parse(script: str, dialect: Dialect) -> Iterator[_Print]:
    rest = script.strip()
    while rest:
        first, rest = _address(rest, dialect)
        last = None
        if first is not None and rest.lstrip().startswith(","):
            last, rest = _address(rest.lstrip()[1:].lstrip(), dialect)
            if last is None:
                raise Failure(f"unexpected `,': {_ONLY}")
        match = _COMMAND.match(rest)
        if not match:
            raise Failure(f"{rest[:20] or script}: {_ONLY}")
        yield _Print(first, last, bool(match.group(1)))
        rest = rest[match.end() :]
        if rest and rest[0] not in ";\n":
            raise Failure(f"{rest[:20]}: {_ONLY}")
        rest = rest.lstrip("; \t\n")


def _address(text: str, dialect: Dialect) -> tuple[_Address | None, str]:
    if match := re.match(r"\d{1,18}", text, re.ASCII):
        line = int(match.group())
        if not line:
            raise Failure("line 0 does not exist; lines count from 1")
        if text[match.end() :].lstrip().startswith("~"):
            raise Failure(_ONLY)
        return _Address(line), text[match.end() :]
    if text.startswith("$"):
        return _Address(), text[1:]
    if not text.startswith("/"):
        return None, text
    match = re.match(r"/((?:[^/\\\[]|\\.|\[\^?\]?[^\]]*\]|\[)*)/(I?)", text, re.DOTALL)
    if not match or not match.group(1):
        raise Failure(f"{text[:20]}: the pattern is empty or not closed")
    pattern = match.group(1).replace("\\/", "/")
    wish = Wish((pattern,), dialect, fold=bool(match.group(2)), longest=True)
    return _Address(matcher=matcher(wish)), text[match.end() :]
