"""Options as getopt_long reads them: ``-rn``, ``-A2``, ``-A 2``, ``--after-context=2``, operands in between, ``--``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stash.vfs.errors import Failure


@dataclass(frozen=True)
class Options:
    """What a command takes. ``flags`` and ``valued``: short letters. ``long``: the letter each long one stands for, or
    a name of its own; with ``=`` at its end when it takes a value. ``harmless``: taken and ignored, because they ask
    for what happens anyway. ``numeric``: the letter that ``-5`` stands for."""

    flags: str = ""
    valued: str = ""
    long: Mapping[str, str] = field(default_factory=dict)
    harmless: frozenset[str] = frozenset()
    numeric: str = ""
    status: int = 1


@dataclass
class Given:
    """``order``: every option with its value (None for flags), as they came."""

    operands: list[str]
    order: list[tuple[str, str | None]]

    def __contains__(self, name: str) -> bool:
        return any(given == name for given, _ in self.order)

    def value(self, name: str, default: str = "") -> str:
        """The last one given."""
        return next((value for given, value in reversed(self.order) if given == name and value is not None), default)

    def values(self, name: str) -> list[str]:
        return [value for given, value in self.order if given == name and value is not None]

    def last(self, names: str) -> str:
        """Which of these letters was given last."""
        return next((given for given, _ in reversed(self.order) if given in names), "")


def given(options: Options, args: list[str]) -> Given:
    """Raises Failure that names what exists."""
    found = Given([], [])
    at = 0
    while at < len(args):
        word = args[at]
        at += 1
        if word == "--":
            found.operands += args[at:]
            break
        if word.startswith("--"):
            at += _long(options, word[2:], args[at:], found)
        elif options.numeric and word.startswith("-") and word[1:].isascii() and word[1:].isdigit():
            found.order.append((options.numeric, word[1:]))
        elif word.startswith("-") and word != "-":
            at += _short(options, word[1:], args[at:], found)
        else:
            found.operands.append(word)
    return found


def _short(options: Options, letters: str, rest: list[str], found: Given) -> int:
    for at, letter in enumerate(letters):
        if letter in options.flags:
            found.order.append((letter, None))
        elif letter in options.valued:
            if value := letters[at + 1 :]:
                found.order.append((letter, value))
                return 0
            if not rest:
                raise Failure(f"option -{letter} needs a value", options.status)
            found.order.append((letter, rest[0]))
            return 1
        else:
            raise Failure(f"-{letter}: no such option here; there are {offered(options)}", options.status)
    return 0


def _long(options: Options, word: str, rest: list[str], found: Given) -> int:
    name, equals, value = word.partition("=")
    if name in options.harmless:
        return 0
    if f"{name}=" in options.harmless:
        return 0 if equals else min(len(rest), 1)
    if f"{name}=" in options.long:
        if not equals and not rest:
            raise Failure(f"option --{name} needs a value", options.status)
        found.order.append((options.long[f"{name}="], value if equals else rest[0]))
        return 0 if equals else 1
    if name not in options.long or equals:
        raise Failure(f"--{name}: no such option here; there are {offered(options)}", options.status)
    found.order.append((options.long[name], None))
    return 0


def offered(options: Options) -> str:
    letters = [f"-{letter}" for letter in options.flags + options.valued]
    return " ".join([*letters, *(f"--{name}" for name in sorted(options.long))])
