"""cat, head, tail, wc."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

from stash.vfs.errors import Failure
from stash.vfs.shell.options import Given, Options, given
from stash.vfs.shell.process import Process, lines_of, number
from stash.vfs.tree import File

_CAT = Options("nbs", long={"number": "n", "number-nonblank": "b", "squeeze-blank": "s"})
_HEAD = Options("qv", "nc", {"lines=": "n", "bytes=": "c", "quiet": "q", "silent": "q", "verbose": "v"}, numeric="n")
_WC = Options("lwcm", long={"lines": "l", "words": "w", "bytes": "c", "chars": "m"})
_MOST_KEPT = 64 * 1024 * 1024


def cat(process: Process) -> Iterator[bytes]:
    asked = given(_CAT, process.args)
    if not asked.order:
        for source in process.sources(asked.operands):
            yield from source.blocks
        return
    count, blank = 0, False
    for source in process.sources(asked.operands):
        for line in source.lines:
            if "s" in asked and blank and line == b"\n":
                continue
            blank = line == b"\n"
            numbered = not blank if "b" in asked else "n" in asked
            count += numbered
            yield (b"%6d\t" % count if numbered else b"") + line


@dataclass(frozen=True)
class _Part:
    """``count`` lines or bytes; ``rest``: all but so many (head) or from the so manyth on (tail)."""

    count: int
    of_bytes: bool
    rest: bool


_Take = Callable[[Iterator[bytes], _Part], Iterator[bytes]]


def head(process: Process) -> Iterator[bytes]:
    asked = given(_HEAD, process.args)
    part = _part(asked, rest="-")
    yield from _each(process, asked, part, _head_bytes if part.of_bytes else _head_lines)


def tail(process: Process) -> Iterator[bytes]:
    if any(word in ("-f", "-F", "--follow") for word in process.args):
        raise Failure("-f: nothing is followed here; stash sessions tail -f does that")
    plus = [f"-n{word}" if word[:1] == "+" and word[1:].isdigit() else word for word in process.args[:1]]
    asked = given(_HEAD, plus + process.args[1:])
    part = _part(asked, rest="+")
    if not part.count and not part.rest:
        return  # as tail does it: not even names are printed
    yield from _each(process, asked, part, _tail_bytes if part.of_bytes else _tail_lines)


def _part(asked: Given, *, rest: str) -> _Part:
    kind = asked.last("nc") or "n"
    text = asked.value(kind, "10")
    of_rest = text.startswith(rest)
    digits = text[1:] if text[:1] in ("+", "-") else text
    count = number(digits, f"invalid number of {'bytes' if kind == 'c' else 'lines'}")
    return _Part(count, kind == "c", of_rest)


def _each(process: Process, asked: Given, part: _Part, take: _Take) -> Iterator[bytes]:
    titled = asked.last("qv") == "v" or (len(asked.operands) > 1 and asked.last("qv") != "q")
    first = True
    for source in process.sources(asked.operands):
        if titled:
            name = "standard input" if source.path == "-" else source.path
            yield (b"" if first else b"\n") + f"==> {name} <==\n".encode("utf-8", "replace")
        first = False
        yield from take(source.blocks, part)


def _head_lines(blocks: Iterator[bytes], part: _Part) -> Iterator[bytes]:
    if part.rest:
        yield from _all_but(lines_of(blocks), part.count)
        return
    left = part.count
    if left:
        for line in lines_of(blocks):
            yield line
            left -= 1
            if not left:
                return


def _all_but(lines: Iterator[bytes], count: int) -> Iterator[bytes]:
    kept: deque[bytes] = deque()
    for line in lines:
        kept.append(line)
        if len(kept) > count:
            yield kept.popleft()


def _head_bytes(blocks: Iterator[bytes], part: _Part) -> Iterator[bytes]:
    if part.rest:
        yield _whole(blocks)[: -part.count or None]
        return
    left = part.count
    while left and (block := next(blocks, None)) is not None:
        yield block[:left]
        left -= min(len(block), left)


def _tail_lines(blocks: Iterator[bytes], part: _Part) -> Iterator[bytes]:
    lines = lines_of(blocks)
    if part.rest:
        for position, line in enumerate(lines, 1):
            if position >= part.count:
                yield line
        return
    yield from deque(lines, maxlen=min(part.count, 10_000_000))


def _tail_bytes(blocks: Iterator[bytes], part: _Part) -> Iterator[bytes]:
    whole = _whole(blocks)
    if part.rest:
        yield whole[max(part.count - 1, 0) :]
    elif part.count:
        yield whole[-part.count :]


def _whole(blocks: Iterator[bytes]) -> bytes:
    whole = bytearray()
    for block in blocks:
        whole += block
        if len(whole) > _MOST_KEPT:
            raise Failure(f"more than {_MOST_KEPT:,} bytes would have to be kept")
    return bytes(whole)


@dataclass
class Counts:
    """In the order in which they are printed."""

    lines: int = 0
    words: int = 0
    chars: int = 0
    bytes: int = 0

    def add(self, other: Counts) -> None:
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


_COLUMN = {"l": "lines", "w": "words", "m": "chars", "c": "bytes"}


def wc(process: Process) -> Iterator[bytes]:
    asked = given(_WC, process.args)
    columns = [name for letter, name in _COLUMN.items() if letter in asked] or ["lines", "words", "bytes"]
    rows, irregular, size = [], False, 0
    for path in asked.operands or [""]:
        node = process.node(path) if path not in ("", "-") else None
        counted = _counted(process.file(path or "-"))
        if isinstance(node, File):
            size += counted.bytes if counted else 0
        elif node is not None or path in ("", "-"):
            irregular = True  # as GNU does it: where a size cannot be known before, columns are seven wide
        if counted is not None or node is not None:
            rows.append((counted or Counts(), path))
    alone = len(asked.operands) <= 1 and len(columns) == 1
    width = 1 if alone else max(len(str(size)), 7 if irregular else 1)
    total = Counts()
    for counts, path in rows:
        total.add(counts)
        yield _row(counts, columns, width, path)
    if len(asked.operands) > 1:
        yield _row(total, columns, width, "total")


def _row(counts: Counts, columns: list[str], width: int, path: str) -> bytes:
    said = " ".join(f"{getattr(counts, name):>{width}}" for name in columns)
    return f"{said} {path}\n".encode("utf-8", "replace") if path else f"{said}\n".encode()


def _counted(blocks: Iterator[bytes] | None) -> Counts | None:
    if blocks is None:
        return None
    counts = Counts()
    for line in lines_of(blocks):
        text = line.decode("utf-8", "replace")
        counts.lines += line.endswith(b"\n")
        counts.words += len(text.split())
        counts.chars += len(text)
        counts.bytes += len(line)
    return counts
