"""Secrets known by the name beside them: shell, dotenv, JSON, YAML, TOML, INI, SQL, code, flags, XML, query strings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .names import TRIGGERS, Telling, telling
from .page import Finding, Page
from .patterns import Patterns
from .place import AFTER_NAME, COMMAND_REACH, QUOTE, Place, Span
from .unquoted import LOOSE, bare_value, spaced_value
from .values import is_reference, is_secret_literal

_LONGEST = 8192
"""Characters of a quoted value."""
_TAIL = 64
"""A name this far inside a value that goes anyway is part of it. Nearer to its end, its own value may reach further."""
_ANNOTATION = re.compile(r"[ \t]{0,4}&?[A-Za-z_][\w.\[\]<>| ?]{0,60}?[ \t]{0,4}(?<![=!<>])=(?!=)[ \t]{0,4}")
_GETTER_BEFORE = re.compile(r"(?:env|get|set|put|add|default|define)\w{0,12}\(\s{0,4}\\{0,3}[\"'`]\Z", re.IGNORECASE)
_SETTER_BEFORE = re.compile(r"(?:set|put)\w{0,12}\(\s{0,4}[\"']\Z", re.IGNORECASE)
_USER_AND = re.compile(
    r"[ ]?=?[ ]?\(\s{0,8}[\"'][^\"'\n]{0,128}[\"'],\s{0,8}(?P<quote>[\"'])(?P<value>[^\"'\n]{1,512})(?P=quote)\s{0,8}\)"
)
_XML = re.compile(r"[^<>\n]{1,1024}(?=</)")
_SPLIT_PAIR = re.compile(
    r"(?:\\{0,7}[\"'],?(?:\\n|\s){0,24}|,?[ \t]{0,4}(?:\\n|\r?\n)(?:\\n|\s){0,24})"
    r"(?:\\{0,7}[\"'])?(?:value|Value|VALUE)(?:\\{0,7}[\"'][ \t]{0,4}[:=]|:|=(?=[\"']))[ \t]{0,4}"
)
_LIST = re.compile(r"[ \t]{0,4}[:=][ \t]{0,4}\[\s{0,8}(?=\\{0,7}[\"'])")
_LIST_ITEM = re.compile(r"\s{0,24}(?P<quote>\\{0,7}[\"'])(?P<value>[^\"'\n\\]{1,1024})(?P=quote)\s{0,8},?")
_KEY_BEFORE = re.compile(r"(?:api|access|secret|private|signing|encryption|auth|account|master)[ ]\Z", re.IGNORECASE)
_SETTLED = re.compile(r"\[redacted:[a-z0-9-]{1,40}\](?=[\s\"'`,;&)}<]|\Z)")


def find_assignments(page: Page, patterns: Patterns) -> Iterator[Finding]:
    past = last = -1
    for at, length in page.any_hits(TRIGGERS):
        if at + length + _TAIL <= past:
            continue
        start, end = page.name_around(at, at + length)
        if end == last:
            continue
        last = end
        if start >= 10 and page.text.startswith("[redacted:", start - 10):
            continue
        told = telling(page.text[start:end].strip(".-")) or _spaced_key(page.text, start, end)
        if told is not None:
            for finding in _beside(page, start, end, told):
                past = max(past, finding.end)
                yield finding
    yield from _team_names(page, patterns)


def _spaced_key(text: str, start: int, end: int) -> Telling | None:
    """``API key: …``, ``the access key is …``."""
    before = text[max(0, start - 16) : start]
    return Telling("key", True) if end - start == 3 and _KEY_BEFORE.search(before) else None


def _team_names(page: Page, patterns: Patterns) -> Iterator[Finding]:
    for trigger in patterns.name_triggers:
        for at in page.hits(trigger):
            start, end = page.name_around(at, at + len(trigger))
            type = patterns.type_of_name(page.text[start:end])
            if type is not None:
                yield from _beside(page, start, end, Telling(type, True))


def _beside(page: Page, start: int, end: int, told: Telling) -> Iterator[Finding]:
    """The value that belongs to the name at ``[start, end)``, if there is one and it is a secret."""
    text = page.text
    while end > start and text[end - 1] in ".-":
        end -= 1
    after = AFTER_NAME.match(text, end)
    if after is None or _SETTLED.match(text, after.end()):
        return
    place = Place(page, start, end, told, after)
    if _is_part(place):
        return
    login = _USER_AND.match(text, end) if told.type == "authorization" else None
    if login is not None and is_secret_literal(login["value"], strong=True):
        yield Finding(*login.span("value"), "password")
        return
    pair = _SPLIT_PAIR.match(text, end) if place.op in (None, ",") else None
    if pair is not None:
        span = _any_value(text, pair.end())
        if span is not None and not is_reference(text[span[0] : span[1]]):
            yield Finding(*span, told.type)
        return
    if told.strong and text.find("[", end, end + 16) >= 0:
        yield from _listed(text, end, told)
    span = _value(place)
    if span is not None:
        yield Finding(*span, told.type)


def _listed(text: str, end: int, told: Telling) -> Iterator[Finding]:
    """``"secrets": ["a", "b"]``."""
    close = QUOTE.match(text, end)
    opened = _LIST.match(text, close.end() if close else end)
    item = _LIST_ITEM.match(text, opened.end()) if opened else None
    while item is not None:
        if is_secret_literal(item["value"], strong=True):
            yield Finding(*item.span("value"), told.type)
        item = _LIST_ITEM.match(text, item.end())


def _is_part(place: Place) -> bool:
    """The user of an address, a piece of an ARN or of a type's name: nothing is assigned there."""
    before = place.page.text[max(0, place.start - 3) : place.start]
    if before == "://" or before.endswith("::"):
        return True
    if place.op != ":":
        return False
    if before.endswith("${") and place.page.text[place.end + 1 : place.end + 2] in ("?", "+"):
        return True
    if before.endswith(":") and not place.gap:
        return True
    # 'Password: ' — the quote after the colon closes the one before the name
    return not place.close and bool(place.quote) and before.endswith(place.quote)


def _any_value(text: str, at: int) -> Span | None:
    opened = QUOTE.match(text, at)
    if opened is not None:
        return _quoted(text, opened.end(), opened.group())
    word = LOOSE.match(text, at)
    return word.span() if word else None


def _value(place: Place) -> Span | None:
    if place.quote:
        return _quoted_value(place)
    if place.op is None:
        return spaced_value(place)
    if place.op == ":":
        annotated = _annotated(place)
        if annotated is not None:
            return annotated
    if place.op == ">":
        return _xml(place)
    return None if place.op in (",", "==", "!=", "===", "!==") else bare_value(place)


def _annotated(place: Place) -> Span | None:
    """``password: str = "…"``."""
    text = place.page.text
    note = _ANNOTATION.match(text, place.after.end("op"))
    opened = QUOTE.match(text, note.end()) if note else None
    return _literal(text, opened.end(), opened.group(), place.told.strong) if opened else None


def _quoted_value(place: Place) -> Span | None:
    op = place.op
    if op == ">" or (op == "," and not _is_argument(place)) or (op is None and not _spaced_quote_counts(place)):
        return None
    if _is_template(place):
        return None
    shell = op == "=" and place.upper and not place.gap
    return _literal(place.page.text, place.at, place.quote, place.told.strong or shell, whole=shell)


def _is_argument(place: Place) -> bool:
    """``os.environ.setdefault("API_KEY", "…")``, ``["--password", "…"]``."""
    before = place.page.text[max(0, place.start - 60) : place.start]
    if place.flag or (place.upper and _GETTER_BEFORE.search(before)):
        return True
    return "." in place.name and _SETTER_BEFORE.search(before) is not None


def _is_template(place: Place) -> bool:
    """``f"{user}:{n}"`` and ``r"[a-z]+"`` are code, not values."""
    prefix = (place.after["prefix"] or "").lower()
    if not prefix:
        return False
    value = place.page.text[place.at : place.at + 200].split(place.quote, 1)[0]
    return ("f" in prefix and "{" in value) or ("r" in prefix and any(c in value for c in "[](\\"))


def _spaced_quote_counts(place: Place) -> bool:
    if not place.gap or place.close:
        return False
    return place.upper or place.flag or place.after_command(COMMAND_REACH) or _is_statement(place)


def _is_statement(place: Place) -> bool:
    """``storePassword "…"`` alone on its line, as Gradle and Ruby write it, or ``:password "…"``."""
    text = place.page.text
    start, end = place.page.line_around(place.start)
    if not place.told.strong or text[start : place.start].strip() not in ("", ":"):
        return False
    closing = text.find(place.quote, place.at, end)
    return closing >= 0 and not text[closing + len(place.quote) : end].strip()


def _literal(text: str, at: int, quote: str, strong: bool, *, whole: bool = False) -> Span | None:
    span = _quoted(text, at, quote)
    if span is None:
        return None
    value = text[span[0] : span[1]]
    if whole and strong:
        return None if is_reference(value) else span
    return span if is_secret_literal(value, strong=strong) else None


def _quoted(text: str, at: int, quote: str) -> Span | None:
    """From ``at`` to the same quote with the same number of backslashes, or to the end of the line."""
    mark = quote.lstrip("\\")
    slashes = len(quote) - len(mark)
    stop = text.find("\n", at, at + _LONGEST)
    stop = min(len(text), at + _LONGEST) if stop < 0 else stop
    probe = text.find(mark, at, stop)
    while probe >= 0:
        before = probe
        while before > at and text[before - 1] == "\\":
            before -= 1
        if (probe - before == slashes) or (slashes == 0 and (probe - before) % 2 == 0):
            return (at, probe - slashes) if probe - slashes > at else None
        probe = text.find(mark, probe + 1, stop)
    return (at, stop) if stop > at else None


def _xml(place: Place) -> Span | None:
    text = place.page.text
    if text[place.start - 1 : place.start] not in ("<", ":"):
        return None
    value = _XML.match(text, place.after.end("op"))
    if value is None or not is_secret_literal(value.group(), strong=place.told.strong):
        return None
    return value.span()
