"""What spans lines: ``<private>`` passages and private keys."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from .page import Finding, Page

_TAG_START = re.compile(r"(?:<|&lt;|&#0{0,4}60;|&#x0{0,4}3c;|\\u003c|%3c)\s{0,8}(?P<close>/?)\s{0,8}\Z", re.IGNORECASE)
_TAG_END = re.compile(r"(?:\s[^<>&]{0,400}|\s{0,8}/?)?(?:>|&gt;|&#0{0,4}62;|&#x0{0,4}3e;|\\u003e|%3e)", re.IGNORECASE)
_TAG_REACH = 27
_BEGIN = re.compile(
    r"-{4,5} ?BEGIN (?P<label>(?:[A-Z0-9]{1,12} ){0,4}(?:PRIVATE KEY|PRIVATE KEY BLOCK|SECRET KEY)(?: BLOCK)?) ?-{4,5}"
)
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{3,60}-{4,5}")
_KEY_LIMIT = 64 * 1024
_KEY_LINE = re.compile(
    r"(?:(?:\\r)?\\n|[ \t\r\n]|[>+|-](?=[ \tA-Za-z0-9])){0,16}(?:[\w-]{1,40}: [^\n\\]{1,200}"
    r"|[A-Za-z0-9+/]{16,16384}={0,2}|=[A-Za-z0-9+/]{4}(?![\w/+]))"
)
_LAST_LINE = re.compile(r"(?:\\n|\n[ \t>+|]{0,8})[A-Za-z0-9+/]{1,64}={0,2}(?=\\n|\s|[\"']|\Z)")
_ENCODED = re.compile(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{34}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{0,65536}={0,2}")
_PUTTY = re.compile(r"Private-Lines: \d{1,3}\n(?:[A-Za-z0-9+/=]{1,128}\n?){1,200}")


def find_private_passages(page: Page) -> Iterator[Finding]:
    """An unclosed tag reaches to the end of the text; nested tags are counted."""
    depth, opened = 0, 0
    for start, end, closing in _tags(page):
        if not closing:
            if depth == 0:
                opened = start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield Finding(opened, end, "private")
        else:
            yield Finding(start, end, "private")
    if depth:
        yield Finding(opened, len(page.text), "private")


def _tags(page: Page) -> Iterator[tuple[int, int, bool]]:
    for at in page.hits(b"private"):
        start = _TAG_START.search(page.text, max(0, at - _TAG_REACH), at)
        end = _TAG_END.match(page.text, at + len("private")) if start else None
        if start is not None and end is not None:
            yield start.start(), end.end(), bool(start["close"])


def find_private_keys(page: Page) -> Iterator[Finding]:
    past = 0
    for at in page.hits(b"begin "):
        if at < past:
            continue
        begin = _BEGIN.search(page.text, max(0, at - 6), at + 90)
        if begin is not None:
            past = _key_end(page.text, begin)
            if past > begin.end():
                yield Finding(begin.start(), past, "private-key")
    yield from _encoded_keys(page)
    for at in page.hits(b"private-lines:"):
        lines = _PUTTY.match(page.text, at)
        if lines is not None:
            yield Finding(*lines.span(), "private-key")


def _encoded_keys(page: Page) -> Iterator[Finding]:
    """A whole key file in base64, as clusters keep it; certificates look the same up to their label."""
    past = 0
    for at in page.hits(b"ls0tls1crudjti"):
        label = _ENCODED.match(page.text, at) if at >= past else None
        if label is not None and b"PRIVATE KEY" in b64decode(label.group()):
            rest = _BASE64.match(page.text, label.end())
            past = rest.end() if rest else label.end()
            yield Finding(at, past, "private-key")


def _key_end(text: str, begin: re.Match[str]) -> int:
    """After the END line, or, when it is missing, after the last character that can belong to the key."""
    limit = min(len(text), begin.end() + _KEY_LIMIT)
    other = text.find("BEGIN ", begin.end(), limit)
    end = _END.search(text, begin.end(), limit if other < 0 else other)
    if end is not None:
        return end.end() if _has_body(text, begin.end(), end.start()) else begin.end()
    stop = begin.end()
    line = _KEY_LINE.match(text, stop)
    while line is not None and line.end() <= limit:
        stop = line.end()
        line = _KEY_LINE.match(text, stop)
    last = _LAST_LINE.match(text, stop)
    return (last.end() if last and stop > begin.end() else stop) if _has_body(text, begin.end(), stop) else begin.end()


def _has_body(text: str, start: int, end: int) -> bool:
    """Documentation names the lines without a key between them."""
    return re.search(r"[A-Za-z0-9+/=]{12}", text[start:end]) is not None
