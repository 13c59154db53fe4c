"""Secrets known by a literal prefix or by the name beside them, as data that builtin and team patterns share.

Data form (JSON): ``{"type": "acme-key", "prefix": "acme_", "chars": "A-Za-z0-9_-", "min": 20, "max": 80}`` finds the
prefix followed by ``min`` to ``max`` characters of the class (a longer run is something else and stays), or
``{"type": "pin", "names": ["LEDGER_PIN"]}`` finds values of these names, whatever case and separators they are
written in. Nobody's regular expression is ever compiled: a class is a list of characters and ranges, repeated once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .tokens import Token, compile_token

MAX_PATTERNS, MAX_LITERAL, MAX_LENGTH = 200, 64, 1024
_TYPE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")


class PatternError(ValueError):
    """A team pattern is not well formed; the message names what is wrong with it."""


def flat(name: str) -> str:
    """``LEDGER_PIN``, ``ledger-pin`` and ``ledgerPin`` are one name."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@dataclass(frozen=True, eq=False)
class Patterns:
    """``tokens``: the team's own prefixes (the builtin ones always apply). ``names``: flat name -> type.

    Compared by identity: what was made clean with the same object need not be made clean again.
    """

    tokens: tuple[Token, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    name_triggers: tuple[bytes, ...] = ()

    @classmethod
    def compile(cls, items: Iterable[Mapping[str, Any]]) -> Patterns:
        """Builtin and team patterns together. Raises PatternError for the first malformed item."""
        tokens: list[Token] = []
        names: dict[str, str] = {}
        triggers: set[bytes] = set()
        for number, item in enumerate(items):
            if number >= MAX_PATTERNS:
                raise PatternError(f"more than {MAX_PATTERNS} patterns")
            kind = _type(item)
            if "names" in item:
                for name in _names(item):
                    names[flat(name)] = kind
                    triggers.add(_longest_word(name))
            else:
                tokens.append(_token(kind, item))
        return cls(tuple(tokens), names, tuple(sorted(triggers)))

    def type_of_name(self, name: str) -> str | None:
        """A team's type for this name or its last dotted part."""
        return (self.names.get(flat(name)) or self.names.get(flat(name.rpartition(".")[2]))) if self.names else None


def _type(item: Mapping[str, Any]) -> str:
    kind = item.get("type") if isinstance(item, Mapping) else None
    if not isinstance(kind, str) or not _TYPE.match(kind):
        raise PatternError(f"type must be lower-case letters, digits and dashes, not {kind!r}")
    return kind


def _names(item: Mapping[str, Any]) -> list[str]:
    names = item["names"]
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) and 3 <= len(flat(n)) <= 64 for n in names):
        raise PatternError("names must be a list of names with at least three letters or digits")
    return list(names)


def _longest_word(name: str) -> bytes:
    """What every spelling of the name contains; found first, as builtin trigger words are."""
    words: list[str] = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    return max(words, key=len).encode()


def _token(kind: str, item: Mapping[str, Any]) -> Token:
    prefix, low, high = item.get("prefix"), item.get("min", 8), item.get("max", MAX_LENGTH)
    if not isinstance(prefix, str) or not 3 <= len(prefix) <= MAX_LITERAL or not prefix.isascii():
        raise PatternError(f"prefix must have 3 to {MAX_LITERAL} ASCII characters, not {prefix!r}")
    if not (type(low) is int and type(high) is int and 1 <= low <= high <= MAX_LENGTH):
        raise PatternError(f"min and max must be whole numbers with 1 <= min <= max <= {MAX_LENGTH}")
    return compile_token(kind, prefix, _class(item.get("chars", "A-Za-z0-9_-")), low, high, glued=True)


def _class(spec: Any) -> str:
    """``A-Za-z0-9_-`` as an escaped regular expression class; a dash that is first or last stands for itself."""
    if not isinstance(spec, str) or not 1 <= len(spec) <= 128 or not spec.isascii() or not spec.isprintable():
        raise PatternError(f"chars must be a short list of ASCII characters and ranges, not {spec!r}")
    parts, at = [], 0
    while at < len(spec):
        if at + 2 < len(spec) and spec[at + 1] == "-":
            if spec[at] > spec[at + 2]:
                raise PatternError(f"range {spec[at : at + 3]!r} runs backwards")
            parts.append(f"{re.escape(spec[at])}-{re.escape(spec[at + 2])}")
            at += 3
        else:
            parts.append(re.escape(spec[at]))
            at += 1
    return "".join(parts)


BUILTIN = Patterns()
