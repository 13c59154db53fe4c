"""What grep and rg have in common: lines in, those that match out, with numbers, names and context."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from stash.vfs.errors import Failure
from stash.vfs.regex import Matcher
from stash.vfs.shell.options import Given
from stash.vfs.shell.process import ended, number
from stash.vfs.tree import File


@dataclass(frozen=True)
class Style:
    """``show``: lines, only (what matches), count, with (names of files that match), without, or nothing."""

    show: str = "lines"
    names: bool = False
    numbers: bool = False
    invert: bool = False
    most: int | None = None
    before: int = 0
    after: int = 0
    zero_counts: bool = True
    """Whether files without a match are counted, too."""
    trailing: bool = True
    """Whether context follows the last match that -m lets through."""

    @property
    def grouped(self) -> bool:
        return bool(self.before or self.after) and self.show == "lines"


def style_of(given: Given, *, names: bool, zero_counts: bool, without: str) -> Style:
    """From the options both have; ``without``: the letter for files that do not match."""
    show = "lines"
    for letter, meaning in (("o", "only"), ("c", "count"), ("l", "with"), (without, "without"), ("q", "nothing")):
        if letter in given:
            show = meaning
    context = given.value("C", "0")
    what = "invalid context length"
    return Style(
        show=show,
        names=names,
        numbers=given.last("nN") == "n",
        invert="v" in given,
        most=number(given.value("m"), "invalid max count") if "m" in given else None,
        before=number(given.value("B", context), what),
        after=number(given.value("A", context), what),
        zero_counts=zero_counts,
    )


@dataclass
class Search:
    """Over any number of files. ``found``: whether anything was selected so far."""

    matcher: Matcher
    style: Style
    found: bool = False
    _printed: bool = field(default=False, repr=False)

    def node(self, name: str, node: File) -> Iterator[bytes]:
        """A file that cannot match is not rendered; it counts as one without lines."""
        needle, fold = self.matcher.needle, self.matcher.wish.fold
        passed_over = needle and not self.style.invert and not node.may_hold(needle, fold=fold)
        yield from self.file(name, iter(()) if passed_over else node.blocks())

    def file(self, name: str, blocks: Iterator[bytes]) -> Iterator[bytes]:
        one = _One(self, name.encode("utf-8", "replace"))
        yield from one.lines(blocks)
        yield from one.summary()
        self.found |= one.selected > 0


@dataclass
class _One:
    """The state within one file."""

    search: Search
    name: bytes
    selected: int = 0
    at: int = 0
    last: int = 0
    """The number of the last line that was printed."""
    owed: int = 0
    """Lines of context still to come."""
    kept: deque[bytes] = field(default_factory=deque)

    def lines(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        style = self.search.style
        self.kept = deque(maxlen=style.before)
        if style.most == 0:
            return
        for block in whole_lines(blocks):
            if self._passes_over(block):
                continue
            for line in block.splitlines(keepends=True) if b"\r" not in block else _split(block):
                self.at += 1
                yield from self._line(line)
                if self._has_enough():
                    return

    def _passes_over(self, block: bytes) -> bool:
        """A block without any match is not looked at line by line."""
        style = self.search.style
        if style.invert or self.owed or len(block) < 200 or self.search.matcher.may_match(block):
            return False
        self.at += block.count(b"\n") + (not block.endswith(b"\n"))
        if style.before:
            self.kept.extend(_split(block)[-style.before :])
        return True

    def _has_enough(self) -> bool:
        style = self.search.style
        if self.selected and style.show in ("with", "without", "nothing"):
            return True
        return style.most is not None and self.selected >= style.most and not self.owed

    def _line(self, line: bytes) -> Iterator[bytes]:
        style = self.search.style
        text = line[:-1] if line.endswith(b"\n") else line
        full = style.most is not None and self.selected >= style.most
        if self.search.matcher.matches(text) != style.invert:
            if full:
                self.owed = 0  # context ends where the next match would begin
                return
            self.selected += 1
            yield from self._select(line, text)
        elif self.owed:
            self.owed -= 1
            yield self._told(line, b"-", self.at)
        elif style.grouped and style.before:
            self.kept.append(line)

    def _select(self, line: bytes, text: bytes) -> Iterator[bytes]:
        style = self.search.style
        if style.show == "lines":
            yield from self._context()
            yield self._told(line, b":", self.at)
            at_end = style.most is not None and self.selected >= style.most
            self.owed = style.after if style.trailing or not at_end else 0
        elif style.show == "only" and not style.invert:
            for part in self.search.matcher.found_in(text):
                yield self._told(part, b":", self.at)

    def _context(self) -> Iterator[bytes]:
        if not self.search.style.grouped:
            return
        first = self.at - len(self.kept)
        if self.search._printed and (first > self.last + 1 or not self.last):
            yield b"--\n"
        for position, line in enumerate(self.kept):
            yield self._told(line, b"-", first + position)
        self.kept.clear()

    def _told(self, line: bytes, mark: bytes, at: int) -> bytes:
        self.last, self.search._printed = at, True
        style = self.search.style
        name = self.name + mark if style.names else b""
        place = b"%d%s" % (at, mark) if style.numbers else b""
        return name + place + ended(line)

    def summary(self) -> Iterator[bytes]:
        style = self.search.style
        if style.show == "count" and (self.selected or style.zero_counts):
            yield (self.name + b":" if style.names else b"") + b"%d\n" % self.selected
        if (style.show == "with" and self.selected) or (style.show == "without" and not self.selected):
            yield self.name + b"\n"


def whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Blocks that end at line ends, the last one perhaps not."""
    rest = b""
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            yield rest + block[:cut]
            rest = block[cut:]
        else:
            rest += block
    if rest:
        yield rest


def _split(block: bytes) -> list[bytes]:
    """At line feeds only."""
    pieces = block.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def patterns_of(given: Given, usage: str) -> tuple[tuple[str, ...], list[str]]:
    """(the patterns, the paths): the first operand is a pattern where -e gave none. Raises Failure."""
    named = given.values("e")
    paths = list(given.operands)
    if not named and not paths:
        raise Failure(usage, 2)
    texts = named or [paths.pop(0)]
    return tuple(pattern for text in texts for pattern in text.split("\n")), paths
