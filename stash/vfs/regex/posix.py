"""Patterns of grep: basic and extended expressions as GNU reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stash.vfs.errors import Failure
from stash.vfs.regex.classes import POSIX, escaped
from stash.vfs.regex.parts import MARK, Part, atom, in_class

_INTERVAL = re.compile(r"(\d*)(?:(,)(\d*))?", re.ASCII)
_OPERATORS = "(){}|+?"
_HINTS = {"d": "[0-9]", "D": "[^0-9]", "n": "-e for each line", "t": "a tab"}
_REPEATED = "a repetition of a repetition is not known here; use parentheses"


def parts_of(pattern: str, *, extended: bool) -> list[Part]:
    """Raises Failure (2) for what is no pattern, or one this engine lacks."""
    return _Reader(pattern, extended).read()


@dataclass
class _Reader:
    pattern: str
    extended: bool
    at: int = 0
    open: int = 0
    parts: list[Part] = field(default_factory=list)

    def read(self) -> list[Part]:
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            if char == "\\":
                self._escape()
            elif self.extended and char in _OPERATORS:
                self.at += 1
                self._operator(char)
            else:
                self.at += 1
                self._plain(char)
        if self.open:
            raise Failure("Unmatched ( or \\(", 2)
        return self.parts

    def _add(self, kind: str, text: str) -> None:
        self.parts.append(Part(kind, text))

    def _escape(self) -> None:
        letter = self.pattern[self.at + 1 : self.at + 2]
        self.at += 2
        if not letter:
            raise Failure("Trailing backslash", 2)
        if not self.extended and letter in _OPERATORS:
            self._operator(letter)
        elif letter in "wWsS":
            self._add("atom", escaped(letter))
        elif letter in "b<>":
            self._add("edge", r"\b")
        elif letter == "B":
            self._add("inside", r"\B")
        elif letter in "`'":
            self._add("glue" if letter == "`" else "end", "^" if letter == "`" else "$")
        elif letter.isascii() and letter.isdigit():
            raise Failure(f"\\{letter}: back-references are not known here", 2)
        elif letter.isascii() and letter.isalpha():
            hint = f"; write {_HINTS[letter]}, or use rg" if letter in _HINTS else ""
            raise Failure(f"\\{letter}: no such escape in grep{hint}", 2)
        else:
            self.parts.append(atom(letter))

    def _operator(self, char: str) -> None:
        match char:
            case "(":
                self.open += 1
                self._add("glue", "(?:")
            case ")":
                self._close()
            case "|":
                self._add("glue", "|")
            case "+" | "?":
                self._repeat(char)
            case "{":
                self._interval()
            case _:
                self.parts.append(atom(char))

    def _close(self) -> None:
        if not self.open:
            if not self.extended:
                raise Failure("Unmatched ) or \\)", 2)
            self.parts.append(atom(")"))
            return
        self.open -= 1
        self._add("glue", ")")

    def _begins(self) -> bool:
        """Whether nothing stands here yet that could be repeated."""
        return not self.parts or self.parts[-1] in (Part("glue", "(?:"), Part("glue", "|"), Part("glue", "^"))

    def _repeat(self, text: str) -> None:
        if self._begins():
            if not self.extended:
                self.parts.append(atom(text))
            return
        if self.parts[-1].kind == "glue" and self.parts[-1].text[-1] in "*+?}":
            raise Failure(_REPEATED, 2)
        if self.parts[-1].kind in ("edge", "inside", "end"):
            raise Failure(f"{text}: nothing that can be repeated stands before it", 2)
        self._add("glue", text)

    def _interval(self) -> None:
        close = "}" if self.extended else "\\}"
        end = self.pattern.find(close, self.at)
        match = _INTERVAL.fullmatch(self.pattern[self.at : end]) if end >= 0 else None
        if not match or match.group() == "":
            if not self.extended:
                raise Failure("Unmatched \\{" if end < 0 else "Invalid content of \\{\\}", 2)
            self.parts.append(atom("{"))
            return
        low, comma, high = match.groups()
        self.at = end + len(close)
        if self._begins():
            raise Failure("Invalid preceding regular expression", 2)
        self._repeat("{" + (low or "0") + (f",{high}" if comma else "") + "}")

    def _plain(self, char: str) -> None:
        match char:
            case ".":
                self._add("any", ".")
            case "*":
                if self._begins() and not self.extended:
                    self.parts.append(atom(char))
                else:
                    self._repeat(char)
            case "^" if self.extended or self._begins_here():
                self._add("glue", "^")
            case "$" if self.extended or self._ends_here():
                self._add("end", "$")
            case "[":
                self._bracket()
            case _:
                self.parts.append(atom(char))

    def _begins_here(self) -> bool:
        return not self.parts or self.parts[-1] in (Part("glue", "(?:"), Part("glue", "|"))

    def _ends_here(self) -> bool:
        return self.at == len(self.pattern) or self.pattern.startswith(("\\)", "\\|"), self.at)

    def _bracket(self) -> None:
        start = self.at
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        inside, first = "", True
        while first or not self.pattern.startswith("]", self.at):
            if self.at >= len(self.pattern):
                raise Failure("Unmatched [, [^, [:, [., or [=", 2)
            inside += self._in_bracket()
            first = False
        self.at += 1
        whole = self.pattern[start : self.at - 1]
        if whole.startswith(":") and whole.endswith(":") and len(whole) > 1:
            raise Failure("character class syntax is [[:space:]], not [:space:]", 2)
        self._add("atom", f"[^{inside}{MARK}]" if negated else f"[{inside}]")

    def _in_bracket(self) -> str:
        if self.pattern.startswith("[:", self.at):
            end = self.pattern.find(":]", self.at)
            name = self.pattern[self.at + 2 : end] if end > 0 else ""
            if name not in POSIX:
                raise Failure("Unmatched [, [^, [:, [., or [=" if end < 0 else "Invalid character class name", 2)
            self.at = end + 2
            return POSIX[name]
        low = self._one()
        if self.pattern.startswith("-", self.at) and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high = self._one()
            if high < low:
                raise Failure("Invalid range end", 2)
            return f"{in_class(low)}-{in_class(high)}"
        return in_class(low)

    def _one(self) -> str:
        """A character, also as ``[.x.]`` or ``[=x=]``."""
        for kind in ".=":
            if self.pattern.startswith(f"[{kind}", self.at):
                if self.pattern[self.at + 3 : self.at + 5] != f"{kind}]":
                    raise Failure("Invalid collation character", 2)
                self.at += 5
                return self.pattern[self.at - 3]
        self.at += 1
        return self.pattern[self.at - 1]
