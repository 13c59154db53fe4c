"""cut: -b, -c (bytes, as GNU has it), -f with -d and -s."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stash.vfs.errors import Failure
from stash.vfs.shell.options import Options, given
from stash.vfs.shell.process import Process, bare

_CUT = Options(
    "sn", "bcfd", {"bytes=": "b", "characters=": "c", "fields=": "f", "delimiter=": "d", "only-delimited": "s",
                   "output-delimiter=": "o", "complement": "C"},
)  # fmt: skip
_RANGE = re.compile(r"(\d{0,18})(-?)(\d{0,18})", re.ASCII)
_FAR = 10**18


def cut(process: Process) -> Iterator[bytes]:
    asked = given(_CUT, process.args)
    kinds = [kind for kind in "bcf" if kind in asked]
    if len(kinds) != 1:
        raise Failure("give one list: -b, -c or -f")
    wanted = ranges(asked.value(kinds[0]))
    if "C" in asked:
        wanted = _others(wanted)
    delimiter = asked.value("d", "\t").encode("utf-8", "replace")
    if len(delimiter) != 1:
        raise Failure("the delimiter must be a single character")
    if kinds[0] != "f" and ("d" in asked or "s" in asked):
        raise Failure("-d and -s go with -f")
    joint = asked.value("o").encode("utf-8", "replace") if "o" in asked else None
    if kinds[0] == "f":
        take = _fields(wanted, delimiter, delimiter if joint is None else joint, only="s" in asked)
    else:
        take = _bytes(wanted, joint or b"")
    for source in process.sources(asked.operands):
        for line in source.lines:
            kept = take(bare(line))
            if kept is not None:
                yield kept + b"\n"


def ranges(text: str) -> list[tuple[int, int]]:
    """Sorted and joined; places count from 1. Raises Failure."""
    found = []
    for part in re.split(r"[, ]", text):
        match = _RANGE.fullmatch(part)
        if not match or part in ("", "-"):
            raise Failure(f"invalid list {text!r}")
        low, dash, high = match.groups()
        first = int(low or 1)
        last = (int(high) if high else _FAR) if dash else first
        if first < 1 or last < first:
            raise Failure(f"invalid range {part!r}")
        found.append((first, last))
    return _joined(sorted(found))


def _joined(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined = found[:1]
    for first, last in found[1:]:
        if first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


def _others(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    others, at = [], 1
    for first, last in found:
        if first > at:
            others.append((at, first - 1))
        at = last + 1
    return [*others, (at, _FAR)] if at <= _FAR else others


def _fields(
    wanted: list[tuple[int, int]], delimiter: bytes, joint: bytes, *, only: bool
) -> Callable[[bytes], bytes | None]:
    def take(line: bytes) -> bytes | None:
        parts = line.split(delimiter)
        if len(parts) == 1:
            return None if only else line
        return joint.join(part for first, last in wanted for part in parts[first - 1 : last])

    return take


def _bytes(wanted: list[tuple[int, int]], joint: bytes) -> Callable[[bytes], bytes | None]:
    def take(line: bytes) -> bytes | None:
        return joint.join(line[first - 1 : last] for first, last in wanted if first <= len(line))

    return take
