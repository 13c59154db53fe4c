"""Unified diffs as rows with two line numbers and the changed words marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from sessions_app.rendering.text import cut_line, shown, without_data

MOST_ROWS = 400
_MOST_PAIRS = 80
_MOST_IN_PAIR = 400
_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@(.*)$")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.3
"""Lines less alike than this are replaced, not edited; marking words in them would only be noise."""


@dataclass(slots=True)
class Row:
    """``kind``: add, del or same; ``html``: escaped text."""

    kind: str
    html: SafeString
    old: int | None = None
    new: int | None = None


@dataclass(slots=True)
class Hunk:
    header: str
    rows: list[Row] = field(default_factory=list)


@dataclass(slots=True)
class FileDiff:
    """``many``: one of several, so its path is shown."""

    path: str = ""
    many: bool = False
    hunks: list[Hunk] = field(default_factory=list)


@dataclass(slots=True)
class Diff:
    """``cut``: rows past MOST_ROWS, counted and not shown."""

    files: list[FileDiff] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    shown: int = 0
    cut: int = 0


def parse(text: str) -> Diff:
    """Tolerant: what is not a diff is shown as it stands."""
    reader = _Reader()
    for line in shown(without_data(text)).rstrip("\n").split("\n"):
        reader.take(line)
    reader.flush()
    return reader.diff


class _Reader:
    """Collects a block of removed and added lines until it is complete, then compares it word by word."""

    def __init__(self) -> None:
        self.diff = Diff()
        self.old = self.new = 0
        self.removed: list[str] = []
        self.added: list[str] = []

    def take(self, line: str) -> None:
        inside = self.old + self.new > 0
        if inside and line[:1] in ("-", "+") and not self._begins_file(line):
            self._take_change(line[:1], cut_line(line[1:]))
            return
        self.flush()
        if match := _HUNK.match(line):
            self.old, self.new = int(match[1]) or 1, int(match[2]) or 1
            self._file().hunks.append(Hunk(cut_line(line)))
        elif line.startswith(("--- ", "+++ ")):
            self.old = self.new = 0
            self._note_file(line)
        elif inside and line[:1] != "\\":
            self._put(Row("same", escape(cut_line(line[1:])), self.old, self.new))
            self.old, self.new = self.old + 1, self.new + 1
        elif line.strip():
            self._file().hunks.append(Hunk(cut_line(line)))

    def _begins_file(self, line: str) -> bool:
        return line.startswith(("--- a/", "--- /dev/null")) and not self.added

    def _take_change(self, sign: str, text: str) -> None:
        if sign == "-" and self.added:
            self.flush()
        (self.removed if sign == "-" else self.added).append(text)

    def _note_file(self, line: str) -> None:
        path = line[4:].split("\t", 1)[0]
        path = path[2:] if path.startswith(("a/", "b/")) else path
        if path == "/dev/null" or (self.diff.files and self.diff.files[-1].path == path):
            return
        self.diff.files.append(FileDiff(path))
        for file in self.diff.files:
            file.many = len(self.diff.files) > 1

    def _file(self) -> FileDiff:
        if not self.diff.files:
            self.diff.files.append(FileDiff())
        return self.diff.files[-1]

    def _put(self, row: Row) -> None:
        hunks = self._file().hunks
        if not hunks:
            hunks.append(Hunk(""))
        if self.diff.shown < MOST_ROWS:
            hunks[-1].rows.append(row)
            self.diff.shown += 1
        else:
            self.diff.cut += 1

    def flush(self) -> None:
        left: list[SafeString] = [escape(line) for line in self.removed]
        right: list[SafeString] = [escape(line) for line in self.added]
        for index in range(min(len(left), len(right), _MOST_PAIRS)):
            if (marked := _changed_words(self.removed[index], self.added[index])) is not None:
                left[index], right[index] = marked
        for offset, html in enumerate(left):
            self._put(Row("del", html, old=self.old + offset))
        for offset, html in enumerate(right):
            self._put(Row("add", html, new=self.new + offset))
        self.old, self.new = self.old + len(left), self.new + len(right)
        self.diff.removed += len(left)
        self.diff.added += len(right)
        self.removed, self.added = [], []


def _changed_words(before: str, after: str) -> tuple[SafeString, SafeString] | None:
    """Both lines with their differing words in ``<del>`` and ``<ins>``, or None when they have little in common."""
    if max(len(before), len(after)) > _MOST_IN_PAIR:
        return None
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.real_quick_ratio() < _ALIKE or matcher.ratio() < _ALIKE:
        return None
    operations = matcher.get_opcodes()
    left = _mark("del", ((kind != "equal", "".join(old[a:b])) for kind, a, b, _, _ in operations))
    right = _mark("ins", ((kind != "equal", "".join(new[a:b])) for kind, _, _, a, b in operations))
    return left, right


def _mark(tag: str, pieces: Iterator[tuple[bool, str]]) -> SafeString:
    html = "".join(f"<{tag}>{escape(text)}</{tag}>" if changed and text else escape(text) for changed, text in pieces)
    return mark_safe(html)  # noqa: S308 - every piece is escaped
