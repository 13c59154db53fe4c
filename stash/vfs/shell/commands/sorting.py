"""sort and uniq, in the order of bytes (LC_ALL=C.UTF-8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

from stash.vfs.errors import Failure
from stash.vfs.shell.options import Given, Options, given
from stash.vfs.shell.process import Process, bare, ended

_SORT = Options(
    "nrusfb", "kt", {"numeric-sort": "n", "reverse": "r", "unique": "u", "stable": "s", "ignore-case": "f",
                     "ignore-leading-blanks": "b", "key=": "k", "field-separator=": "t"}, status=2,
)  # fmt: skip
_UNIQ = Options("cdui", long={"count": "c", "repeated": "d", "unique": "u", "ignore-case": "i"})
_KEY = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?([nrfb]*)(?:,(\d{1,9})(?:\.(\d{1,9}))?([nrfb]*))?", re.ASCII)
_FIELD = re.compile(rb"[ \t]*[^ \t]*")
_NUMBER = re.compile(rb"[ \t]*(-?)(\d*)(?:\.(\d*))?")


@dataclass(frozen=True)
class _Key:
    """``order``: letters of its own or of the whole command. ``start``, ``end``: (field, character) from 1; an end
    with character 0 is the field's end."""

    order: str
    start: tuple[int, int] = (1, 1)
    end: tuple[int, int] | None = None


def sort(process: Process) -> Iterator[bytes]:
    asked = given(_SORT, process.args)
    keys = _keys(asked)
    separator = _separator(asked)
    lines: list[bytes] = []
    for source in process.sources(asked.operands, 2):
        lines.extend(ended(line) for line in source.lines)
    if process.status:
        return  # a file is missing: nothing is sorted, as sort itself does it
    compare = _comparison(keys, separator)
    stable = "s" in asked or "u" in asked
    backwards = "r" in asked
    lines.sort(key=cmp_to_key(compare if stable else _with_last_resort(compare, backwards=backwards)))
    last: bytes | None = None
    for line in lines:
        if "u" not in asked or last is None or compare(last, line):
            yield line
            last = line


def _keys(asked: Given) -> list[_Key]:
    whole = "".join(letter for letter in "nrfb" if letter in asked)
    return [_key(text, whole) for text in asked.values("k")] or [_Key(whole)]


def _key(text: str, whole: str) -> _Key:
    match = _KEY.fullmatch(text)
    if not match:
        raise Failure(f"invalid key {text!r}; as 2, 2,2, 2.3,4n", 2)
    field, char, own, last, last_char, more = match.groups()
    start = (int(field), int(char or 1))
    if 0 in start:
        raise Failure(f"invalid key {text!r}: fields count from 1", 2)
    end = (int(last), int(last_char or 0)) if last else None
    return _Key((own or "") + (more or "") or whole, start, end)


def _separator(asked: Given) -> bytes:
    text = asked.value("t").encode("utf-8", "replace")
    if "t" in asked and len(text) != 1:
        raise Failure("the field separator must be a single character", 2)
    return text


def _comparison(keys: list[_Key], separator: bytes) -> Callable[[bytes, bytes], int]:
    known: dict[bytes, tuple[Any, ...]] = {}

    def of(line: bytes) -> tuple[Any, ...]:
        if line not in known:
            known[line] = tuple(_value(key, _text(bare(line), key, separator)) for key in keys)
        return known[line]

    def compare(a: bytes, b: bytes) -> int:
        for key, left, right in zip(keys, of(a), of(b), strict=True):
            if left != right:
                return (-1 if left < right else 1) * (-1 if "r" in key.order else 1)
        return 0

    return compare


def _with_last_resort(compare: Callable[[bytes, bytes], int], *, backwards: bool) -> Callable[[bytes, bytes], int]:
    """Lines that compare equal stand in the order of their bytes."""

    def both(a: bytes, b: bytes) -> int:
        a_, b_ = bare(a), bare(b)
        return compare(a, b) or ((a_ > b_) - (a_ < b_)) * (-1 if backwards else 1)

    return both


def _value(key: _Key, text: bytes) -> Any:
    if "n" in key.order:
        return _numeric(text)
    return text.upper() if "f" in key.order else text


def _numeric(text: bytes) -> Decimal:
    match = _NUMBER.match(text)
    assert match is not None
    sign, whole, part = match.groups()
    value = Decimal(f"{(whole or b'0').decode()}.{(part or b'0').decode()}")
    return -value if sign else value


def _text(line: bytes, key: _Key, separator: bytes) -> bytes:
    if key.start == (1, 1) and key.end is None:
        return line.lstrip(b" \t") if "b" in key.order else line
    bounds = _fields(line, separator)
    begin = _place(line, bounds, key.start[0], key.start[1] - 1, blanks="b" in key.order)
    if key.end is None:
        return line[begin:]
    field, char = key.end
    if char == 0:
        end = bounds[field - 1][1] if field <= len(bounds) else len(line)
    else:
        end = _place(line, bounds, field, char, blanks="b" in key.order)
    return line[begin : max(begin, end)]


def _fields(line: bytes, separator: bytes) -> list[tuple[int, int]]:
    """Where fields begin and end; without a separator each takes the blanks before it along."""
    if not separator:
        return [match.span() for match in _FIELD.finditer(line) if match.group()]
    found, at = [], 0
    for part in line.split(separator):
        found.append((at, at + len(part)))
        at += len(part) + 1
    return found


def _place(line: bytes, bounds: list[tuple[int, int]], field: int, chars: int, *, blanks: bool) -> int:
    if field > len(bounds):
        return len(line)
    at = bounds[field - 1][0]
    while blanks and at < len(line) and line[at : at + 1] in (b" ", b"\t"):
        at += 1
    return min(at + chars, len(line))


def uniq(process: Process) -> Iterator[bytes]:
    asked = given(_UNIQ, process.args)
    if len(asked.operands) > 1:
        raise Failure(f"{asked.operands[1]}: Read-only file system")
    fold = "i" in asked
    held: bytes | None = None
    count = 0
    for source in process.sources(asked.operands):
        for line in source.lines:
            line = ended(line)
            if held is not None and (line.upper() == held.upper() if fold else line == held):
                count += 1
                continue
            yield from _group(held, count, asked)
            held, count = line, 1
    yield from _group(held, count, asked)


def _group(held: bytes | None, count: int, asked: Given) -> Iterator[bytes]:
    unwanted = ("d" in asked and count < 2) or ("u" in asked and count > 1)
    if held is not None and not unwanted:
        yield (b"%7d " % count if "c" in asked else b"") + held
