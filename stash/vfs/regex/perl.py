"""Patterns of ripgrep (and of grep -P, as far as both agree): escapes of letters, all of Unicode."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stash.vfs.errors import Failure
from stash.vfs.regex.classes import INSIDE, POSIX, escaped
from stash.vfs.regex.parts import MARK, Part, atom, in_class

_CONTROLS = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CODE = re.compile(r"\\(?:x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4}))")
_ESCAPED = re.compile(rf"{_CODE.pattern}|\\.", re.DOTALL)
_PROPERTY = re.compile(r"\\[pP](?:\{\^?[A-Za-z_]+\}|[A-Z])")
_INTERVAL = re.compile(r"\{\d+(?:,\d*)?\}", re.ASCII)
_GROUP = re.compile(r"\(\?(?::|P?<[A-Za-z_][A-Za-z0-9_]*>|[imsU]*(?:-[imsU]+)?[:)])")
_LOOK = ("(?=", "(?!", "(?<=", "(?<!", "(?>")
_FAR = 0x10FFFF


def parts_of(pattern: str) -> list[Part]:
    """Raises Failure (2) for what is no pattern, or one this engine lacks."""
    return _Reader(pattern).read()


def letters_of(pattern: str) -> str:
    """The pattern without its escapes, but with the letters that are written as numbers (``\\x41``)."""
    return _ESCAPED.sub(_letter, pattern)


def _letter(escape: re.Match[str]) -> str:
    code = _CODE.fullmatch(escape.group())
    number = int(next(filter(None, code.groups())), 16) if code else _FAR + 1
    return chr(number) if number <= _FAR else ""


@dataclass
class _Reader:
    pattern: str
    at: int = 0
    parts: list[Part] = field(default_factory=list)

    def read(self) -> list[Part]:
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            match char:
                case "\\":
                    self._escape()
                case "(":
                    self._group()
                case "[":
                    self.at += 1
                    self._add("atom", self._bracket())
                case "{":
                    self._interval()
                case ".":
                    self._take("any")
                case "$":
                    self._take("end")
                case "^" | "|" | ")" | "*" | "+" | "?":
                    self._take("glue")
                case _:
                    self.parts.append(atom(char))
                    self.at += 1
        return self.parts

    def _add(self, kind: str, text: str) -> None:
        self.parts.append(Part(kind, text))

    def _take(self, kind: str) -> None:
        self._add(kind, self.pattern[self.at])
        self.at += 1

    def _escape(self) -> None:
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in ("b", "B"):
            self._add("edge" if letter == "b" else "inside", f"\\{letter}")
        elif letter in ("A", "z"):
            self._add("glue" if letter == "A" else "end", "^" if letter == "A" else "$")
        elif letter and letter in INSIDE:
            self._add("atom", escaped(letter))
        elif match := _PROPERTY.match(self.pattern, self.at):
            self._add("atom", match.group() if letter == "p" else f"[^{match.group().replace('P', 'p', 1)}{MARK}]")
            self.at = match.end()
            return
        else:
            self.parts.append(atom(self._character()))
            return
        self.at += 2

    def _character(self) -> str:
        """An escaped character, in brackets or not."""
        letter = self.pattern[self.at + 1 : self.at + 2]
        if match := _CODE.match(self.pattern, self.at):
            code = int(next(filter(None, match.groups())), 16)
            if code > _FAR or 0xD800 <= code <= 0xDFFF:
                raise Failure(f"regex parse error: {match.group()}: no such character", 2)
            self.at = match.end()
            return chr(code)
        if not letter:
            raise Failure("regex parse error: incomplete escape sequence at the end", 2)
        if letter.isascii() and letter.isdigit():
            raise Failure(f"regex parse error: \\{letter}: backreferences are not supported", 2)
        if letter == "n":
            raise Failure("the literal '\\n' is not allowed in a regex: lines are searched one by one", 2)
        if letter in _CONTROLS:
            self.at += 2
            return _CONTROLS[letter]
        if letter.isascii() and letter.isalpha():
            raise Failure(f"regex parse error: \\{letter}: unrecognized escape sequence", 2)
        self.at += 2
        return letter

    def _group(self) -> None:
        if self.pattern.startswith(_LOOK, self.at):
            raise Failure(f"regex parse error: {self.pattern[self.at : self.at + 4]}: look-around is not supported", 2)
        if match := _GROUP.match(self.pattern, self.at):
            named = "<" in match.group()
            self._add("glue", "(?:" if named else match.group())
            self.at = match.end()
        elif self.pattern.startswith("(?", self.at):
            raise Failure(f"regex parse error: {self.pattern[self.at : self.at + 4]}: no such group or flag here", 2)
        else:
            self._add("glue", "(?:")
            self.at += 1

    def _interval(self) -> None:
        match = _INTERVAL.match(self.pattern, self.at)
        if not match:
            raise Failure("regex parse error: { begins a repetition; write \\{ for the character", 2)
        self._add("glue", match.group())
        self.at = match.end()

    def _bracket(self) -> str:
        """What follows ``[``."""
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        inside, first = "", True
        while first or not self.pattern.startswith("]", self.at):
            if self.at >= len(self.pattern):
                raise Failure("regex parse error: unclosed character class", 2)
            inside += self._in_bracket()
            first = False
        self.at += 1
        return f"[^{inside}{MARK}]" if negated else f"[{inside}]"

    def _in_bracket(self) -> str:
        for operator in ("&&", "--", "~~"):
            if self.pattern.startswith(operator, self.at):
                raise Failure(f"regex parse error: {operator}: operations on classes are not known here", 2)
        if self.pattern.startswith("[", self.at):
            return self._nested()
        letter = self.pattern[self.at + 1 : self.at + 2]
        if self.pattern.startswith("\\", self.at):
            if letter and letter in INSIDE:
                self.at += 2
                return INSIDE[letter]
            if match := _PROPERTY.match(self.pattern, self.at):
                self.at = match.end()
                return match.group()
        low = self._one()
        if self.pattern.startswith("-", self.at) and self.pattern[self.at + 1 : self.at + 2] not in ("]", "", "-"):
            self.at += 1
            high = self._one()
            if high < low:
                raise Failure("regex parse error: invalid range in a character class", 2)
            return f"{in_class(low)}-{in_class(high)}"
        return in_class(low)

    def _nested(self) -> str:
        end = self.pattern.find(":]", self.at)
        name = self.pattern[self.at + 2 : end] if self.pattern.startswith("[:", self.at) and end > 0 else ""
        if name not in POSIX:
            raise Failure("regex parse error: [ in a class: classes within classes are not known here; write \\[", 2)
        self.at = end + 2
        return POSIX[name]

    def _one(self) -> str:
        if self.pattern.startswith("\\", self.at):
            return self._character()
        self.at += 1
        return self.pattern[self.at - 1]
