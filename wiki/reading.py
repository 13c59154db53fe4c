"""What a page says of itself: title, names, sections and links, from its text alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from stash.gitstore.paths import key_of
from wiki.frontmatter import Parted, parted

_LONGEST = 250
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_CODE = re.compile(r"(`+)(?!`)(?:.*?[^`])?\1(?!`)")
_WIKI = re.compile(r"(!?)\[\[([^\[\]\n|#]*)(?:#([^\[\]\n|]*))?(?:\|([^\[\]\n]*))?\]\]")
_MARKDOWN = re.compile(
    r"(!?)\[([^\[\]\n]*)\]\((?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))(?:[ \t]+\"[^\"\n]*\")?\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|/")
_ATTACHED = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|pdf|mp[34]|webm|mov|wav|ogg|zip|csv|canvas|base)\Z", re.IGNORECASE
)
_ENDING = re.compile(r"\.(?!md\Z)[A-Za-z][A-Za-z0-9]{0,9}\Z", re.IGNORECASE)
_MOST_LINKS = 2000
_MOST_SECTIONS = 1000
_MOST_ALIASES = 50


@dataclass(frozen=True, slots=True)
class FoundLink:
    """``start`` and ``end``: where its target stands in the text, without anchor and label."""

    kind: str
    target: str
    key: str
    anchor: str
    label: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FoundSection:
    level: int
    heading: str
    anchor: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Read:
    parts: Parted
    title: str
    names: list[tuple[int, str]]
    sections: list[FoundSection]
    links: list[FoundLink]


def read(path: str, text: str) -> Read:
    parts = parted(text)
    offset = len(text) - len(parts.body)
    lines = list(_prose(parts.body, offset))
    sections = _sections(text, offset, lines)
    title = _title(path, parts, sections)
    return Read(parts, title, _names(path, title, parts.values), sections, list(_links(path, text, offset, lines)))


def stem_of(path: str) -> str:
    return path.removesuffix(".md")


def plain_key(name: str) -> str:
    """The name as links are compared by: without ending, case or kinds of spaces."""
    return key_of(" ".join(stem_of(name.strip()).split()))[:400]


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")[:_LONGEST]


def _title(path: str, parts: Parted, sections: list[FoundSection]) -> str:
    given = parts.values.get("title")
    if isinstance(given, (str, int, float)) and not isinstance(given, bool) and str(given).strip():
        return str(given).strip()[:_LONGEST]
    first = next((one.heading for one in sections if one.level == 1 and one.heading), "")
    return (first or stem_of(path).rsplit("/", 1)[-1])[:_LONGEST]


def _names(path: str, title: str, values: dict[str, Any]) -> list[tuple[int, str]]:
    given = values.get("aliases", values.get("alias"))
    aliases = given if isinstance(given, list) else [given]
    found = [(0, plain_key(path)), (1, plain_key(path.rsplit("/", 1)[-1])), (2, plain_key(title))]
    found += [(3, plain_key(one)) for one in aliases[:_MOST_ALIASES] if isinstance(one, str)]
    return sorted({(rank, key) for rank, key in found if key})


def _prose(body: str, offset: int) -> Iterator[tuple[int, int, str, bool]]:
    """Number, start, text of each line without its end, and whether it is code."""
    fence, at = "", offset
    for number, line in enumerate(body.splitlines(keepends=True) if body else []):
        bare = line.rstrip("\r\n")
        mark = _FENCE.match(bare)
        is_code = bool(fence) or bool(mark)
        if fence and mark and mark[1].startswith(fence) and not bare.strip().strip(fence[0]):
            fence = ""
        elif not fence and mark:
            fence = mark[1]
        yield number + 1, at, bare, is_code
        at += len(line)


def _sections(text: str, offset: int, lines: list[tuple[int, int, str, bool]]) -> list[FoundSection]:
    starts: list[tuple[int, int, str]] = []
    for _, at, bare, is_code in lines:
        found = None if is_code else _HEADING.match(bare)
        if found and len(starts) < _MOST_SECTIONS:
            starts.append((at, len(found[1]), found[2][:_LONGEST]))
    if not starts or text[offset : starts[0][0]].strip():
        starts.insert(0, (offset, 0, ""))
    ends = [at for at, _, _ in starts[1:]] + [len(text)]
    return [
        FoundSection(level, heading, anchor_of(heading), text[at:end], at)
        for (at, level, heading), end in zip(starts, ends, strict=True)
    ]


def _links(path: str, text: str, offset: int, lines: list[tuple[int, int, str, bool]]) -> Iterator[FoundLink]:
    first = text.count("\n", 0, offset)
    count = 0
    for number, at, bare, is_code in lines:
        if is_code or "[" not in bare:
            continue
        clear = _CODE.sub(lambda code: "\0" * len(code.group()), bare)
        for link in _in_line(path, clear, at, first + number):
            count += 1
            if count > _MOST_LINKS:
                return
            yield link


def _in_line(path: str, line: str, at: int, number: int) -> Iterator[FoundLink]:
    for found in _WIKI.finditer(line):
        target = found[2].strip()
        if not target or "\0" in found.group() or _ATTACHED.search(target):
            continue
        start = at + found.start(2)
        yield FoundLink(
            "embed" if found[1] else "wiki", target[:400], plain_key(target), (found[3] or "")[:_LONGEST],
            (found[4] or "")[:_LONGEST], number, start, start + len(found[2]),
        )  # fmt: skip
    for found in _MARKDOWN.finditer(line):
        group = 3 if found[3] is not None else 4
        target, _, anchor = found[group].partition("#")
        if found[1] or not target or "\0" in found.group() or _SCHEME.match(target) or _ENDING.search(target):
            continue
        start = at + found.start(group)
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(target)))
        yield FoundLink(
            "relative", target[:400], plain_key(resolved), anchor[:_LONGEST], found[2][:_LONGEST], number,
            start, start + len(target),
        )  # fmt: skip
