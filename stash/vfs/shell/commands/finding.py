"""find: -name -iname -path -ipath -type -mtime -newer -maxdepth -mindepth -not ! -a -o ( ) -print -print0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from stash.vfs.errors import Failure
from stash.vfs.shell.globs import matches
from stash.vfs.shell.process import Process, number
from stash.vfs.shell.walking import MOST_DEEP, Met, walk
from stash.vfs.tree import Folder

Test = Callable[[Met], bool]
_KNOWN = "-name -iname -path -ipath -type -mtime -newer -maxdepth -mindepth -not ! -a -o ( ) -empty -print -print0"
_DAY, _MOST_TESTS = 86400, 200


@dataclass
class _Query:
    """A recursive descent over the words of an expression."""

    process: Process
    words: list[str]
    deepest: int = MOST_DEEP
    least: int = 0
    end: str = "\n"
    names: list[str] = field(default_factory=list)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    nested: int = 0

    def parse(self) -> Test:
        if not self.words:
            return lambda met: True
        test = self._either()
        if self.words:
            raise Failure(f"{self.words[0]}: not expected here")
        return test

    def _either(self) -> Test:
        tests = [self._both()]
        while self.words and self.words[0] in ("-o", "-or"):
            self.words.pop(0)
            tests.append(self._both())
        return tests[0] if len(tests) == 1 else lambda met: any(test(met) for test in tests)

    def _both(self) -> Test:
        tests = [self._one()]
        while self.words and self.words[0] not in ("-o", "-or", ")"):
            if self.words[0] in ("-a", "-and"):
                self.words.pop(0)
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda met: all(test(met) for test in tests)

    def _one(self) -> Test:
        if not self.words:
            raise Failure("the expression ends where a test should follow")
        word = self.words.pop(0)
        self.nested += 1
        if self.nested > _MOST_TESTS:
            raise Failure("the expression is too long")
        if word in ("!", "-not"):
            inner = self._one()
            return lambda met: not inner(met)
        if word == "(":
            inner = self._either()
            if not self.words or self.words.pop(0) != ")":
                raise Failure("a ( is not closed")
            return inner
        return self._test(word)

    def _test(self, word: str) -> Test:
        match word:
            case "-print":
                return lambda met: True
            case "-print0":
                self.end = "\0"
                return lambda met: True
            case "-empty":
                return _is_empty
        if word in ("-exec", "-execdir", "-delete", "-ok"):
            raise Failure(f"{word}: not here; pipe to xargs")
        if word not in _KNOWN.split() or word in (")", "-a", "-o"):
            raise Failure(f"{word}: no such test here; there are {_KNOWN}")
        if not self.words:
            raise Failure(f"{word} needs a value")
        return self._valued(word, self.words.pop(0))

    def _valued(self, word: str, value: str) -> Test:
        match word:
            case "-name" | "-iname":
                return lambda met: matches(value, met.path.rstrip("/").rpartition("/")[2] or "/", fold=word == "-iname")
            case "-path" | "-ipath":
                return lambda met: matches(value, met.path, fold=word == "-ipath")
            case "-type":
                return _of_type(value)
            case "-maxdepth":
                self.deepest = min(number(value, "-maxdepth"), MOST_DEEP)
            case "-mindepth":
                self.least = number(value, "-mindepth")
            case "-mtime":
                return self._aged(value)
            case "-newer":
                return self._newer(value)
        return lambda met: True

    def _aged(self, value: str) -> Test:
        days = number(value.lstrip("+-"), "-mtime")
        sign = value[:1] if value[:1] in "+-" else ""

        def test(met: Met) -> bool:
            age = int((self.now - met.node.modified).total_seconds() // _DAY)
            return age > days if sign == "+" else age < days if sign == "-" else age == days

        return test

    def _newer(self, path: str) -> Test:
        node = self.process.node(path)
        if node is None:
            raise Failure(f"{path}: No such file or directory")
        than = node.modified
        return lambda met: met.node.modified > than


def _of_type(value: str) -> Test:
    kinds = set(value.split(","))
    if not kinds <= {"f", "d"}:
        raise Failure(f"-type {value}: there are f and d")
    return lambda met: ("d" if met.node.is_folder else "f") in kinds


def _is_empty(met: Met) -> bool:
    if isinstance(met.node, Folder):
        return next(met.node.entries(), None) is None
    return next(met.node.blocks(), None) is None  # type: ignore[attr-defined]


def find(process: Process) -> Iterator[bytes]:
    paths, words = _divided(process.args)
    query = _Query(process, words)
    test = query.parse()
    for path in paths or ["."]:
        node = process.existing(path)
        if node is None:
            continue
        for met in walk(Met(path, node), deepest=query.deepest):
            if met.depth >= query.least and test(met):
                yield f"{met.path}{query.end}".encode("utf-8", "replace")


def _divided(args: list[str]) -> tuple[list[str], list[str]]:
    """Paths come before the first word that is a test."""
    at = 0
    while at < len(args) and not args[at].startswith("-") and args[at] not in ("!", "(", ")"):
        at += 1
    return args[:at], args[at:]
