"""Values without quotes, where code or prose could stand as well."""

from __future__ import annotations

import re

from .names import Telling
from .place import Place, Span
from .values import (
    is_metavar,
    is_reference,
    is_secret_literal,
    is_secret_scalar,
    is_secret_word,
    is_template,
    looks_random,
    turns,
)

LOOSE = re.compile(r"[^\s\"'`;<>\\]{1,4096}")
_LINE_START = re.compile(
    r"[ \t+>|-]{0,12}(?:\d+[:|\t][ \t]{0,8})?(?:export[ \t]+|ENV[ \t]+|ARG[ \t]+|declare -x[ \t]+|set[ \t]+)?\Z"
)
_NETRC_BEFORE = re.compile(r"login[ \t]+\S{1,100}\s{1,20}\Z")
_SHELL_WORD = re.compile(r"(?:[^\s\"'`;&|()<>\\]|\\[^nrt\s]){1,512}")
_WORD = re.compile(r"[^\s\"'`,;&|(){}\[\]<>\\]{1,4096}")
_UNTIL_SEMICOLON = re.compile(r"[^\s\"'`;<>]{1,1024}")
_DEFAULT = re.compile(r"[^\s{}]{1,512}(?=\})")
_QUERY = re.compile(r"[^\s\"'`&#<>\\;]{1,4096}")
_IN_QUOTES = {'"': re.compile(r"[^\s\"\n][^\"\n\\]{0,1024}(?=\")"), "'": re.compile(r"[^\s'\n][^'\n\\]{0,1024}(?=')")}
_BLOCK = re.compile(
    r"[|>][+-]?\d?[ \t]{0,8}\n(?P<body>(?P<indent>[ \t]{1,40})\S[^\n]{0,4096}(?:\n(?P=indent)[^\n]{0,4096}){0,200})"
)
_ENV_LINE = re.compile(r"[A-Za-z_]\w{0,80}=")
_AFTER_VALUE = re.compile(r"\s*(?:[A-Za-z_]\w{0,80}=|\./|[#|&;])")
_LONGEST_LINE = 8192
_BODY_FLAG = re.compile(r"[ \t]{1,4}(?:--body|-b|--value|--data-file)[ =][\"']?(?P<word>[^\s\"']{1,512})")
_IS = re.compile(r"[ \t]{1,4}(?:is|was|are|=|->|→|to)[ \t:]{1,4}(?P<open>[\"'`])?(?P<word>[^\s\"'`,;<>()]{5,512})")
_NEXT_TO = re.compile(r"[ \t:]{1,4}(?P<open>[\"'`(])?(?P<word>[A-Za-z0-9+/=_.~-]{20,512})(?![\w/])")
_YAML_TAG = re.compile(r"!{1,2}[A-Za-z][\w:/-]*\Z")
_ALONE = re.compile(r"[^\s\"'`(){}\[\]<>,;]{4,}\Z")


def spaced_value(place: Place) -> Span | None:
    """``--password x``, ``setenv NAME x``, ``login u password x``, ``the password is x``."""
    text, end = place.page.text, place.end
    if place.gap and not place.close:
        command = place.after_command(160)
        body = _BODY_FLAG.match(text, end) if command else None
        if body is not None:
            return None if is_reference(body["word"]) else body.span("word")
        if command or place.flag or _after_login(place):
            return _argument(place)
    said = _IS.match(text, end)
    if said is not None and _said(said["word"].rstrip(".!?:"), place.told):
        return said.start("word"), said.start("word") + len(said["word"].rstrip(".!?:"))
    near = _NEXT_TO.match(text, end)
    if near is not None and _high_entropy(near["word"]):
        return near.start("word"), near.start("word") + len(near["word"].rstrip("."))
    return None


def _after_login(place: Place) -> bool:
    """As in .netrc."""
    login = place.page.text.rfind("login", max(0, place.start - 140), place.start)
    return login >= 0 and _NETRC_BEFORE.match(place.page.text, login, place.start) is not None


def _argument(place: Place) -> Span | None:
    word = _SHELL_WORD.match(place.page.text, place.at)
    if word is None or word.group().startswith("-") or is_reference(word.group()) or is_metavar(word.group()):
        return None
    certain = place.told.strong or ((place.flag or place.upper) and place.told.type == "token")
    return word.span() if certain or looks_random(word.group()) else None


def _said(word: str, told: Telling) -> bool:
    mixed = any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
    return mixed and is_secret_word(word, strong=True) and (told.type == "password" or looks_random(word))


def _high_entropy(word: str) -> bool:
    """Twenty characters or more without a word in them: digits and letters in turn, no path, no name."""
    if "/" in word and not word.endswith("="):
        return False
    return (
        turns(word) >= max(4, len(word) // 8) and not is_reference(word) and word.count("-") < 4 and word.count(".") < 2
    )


def bare_value(place: Place) -> Span | None:
    """An unquoted value after ``=`` or ``:``."""
    text, at, op, strong = place.page.text, place.at, place.op, place.told.strong
    if op == ":-":
        return _checked(_DEFAULT.match(text, at), strong)
    block = _BLOCK.match(text, at) if op == ":" else None
    if block is not None:
        return None if is_reference(block["body"]) else (block.end("indent"), block.end("body"))
    if op == "=":
        before = text[place.start - 1 : place.start]
        if before in ('"', "'") and before and place.upper and not place.gap:
            return _until_quote(place, before)
        if before in ("?", "&") and before:
            return _checked(_QUERY.match(text, at), strong or place.told.type == "token")
        if place.flag:
            return _checked(_SHELL_WORD.match(text, at), True)
        if (before == ";" or text.find(";", at, at + 200) >= 0) and place.page.is_connection(place.start):
            return _checked(_UNTIL_SEMICOLON.match(text, at), strong)
    return _on_its_line(place)


def _until_quote(place: Place, quote: str) -> Span | None:
    """``-e "DB_PASSWORD=two words"``."""
    text, at = place.page.text, place.at
    whole = _IN_QUOTES[quote].match(text, at)
    if whole is None or not place.told.strong or is_template(whole.group()) or is_reference(whole.group().split()[0]):
        return _checked(LOOSE.match(text, at), place.told.strong)
    return whole.span()


def _checked(value: re.Match[str] | None, strong: bool) -> Span | None:
    if value is None or is_reference(value.group()):
        return None
    if not strong and not looks_random(value.group()):
        return None
    return value.span()


class _Line:
    """The line of a place; ``leads``: nothing but white space, a number or ``export`` stands before the name."""

    def __init__(self, place: Place) -> None:
        self.start, self.end = place.page.line_around(place.start)
        text = place.page.text
        near = place.start - self.start < 80
        self.leads = near and _LINE_START.match(text, self.start, place.start) is not None
        self.rest = text[place.at : self.end]


def _on_its_line(place: Place) -> Span | None:
    line = _Line(place)
    if place.op != "=" or place.gap or place.after.end("op") != place.at:
        return _plain(place, line)
    if place.upper or line.leads:
        return _env(place, line)
    return _inline(place, line) or _plain(place, line)


def _inline(place: Place, line: _Line) -> Span | None:
    """``… password=hunter …`` amid other words; in a call it would be a keyword argument."""
    text = place.page.text
    if not place.told.strong or text[place.start - 1 : place.start] not in (" ", "\t", '"', "'", "="):
        return None
    if text.find("(", line.start, place.start) >= 0:
        return None
    word = LOOSE.match(text, place.at)
    good = word is not None and word.group().isalnum() and is_secret_literal(word.group(), strong=True)
    return word.span() if word and good else None


def _env(place: Place, line: _Line) -> Span | None:
    """``NAME=value`` as a shell or a dump of the environment writes it."""
    at, told = place.at, place.told
    word = line.rest.split(None, 1)[0] if line.rest[:1].strip() else ""
    whole = line.rest.rstrip()
    if place.upper and line.leads:
        if whole == word:
            return (at, at + len(word)) if word and _env_value(word, told) else None
        if told.strong and not _AFTER_VALUE.match(whole, len(word)) and _in_dump(place, line):
            return None if is_reference(whole) else (at, at + len(whole))
    value = LOOSE.match(place.page.text, at)
    found = value.group().rstrip(",)]}") if value else ""
    if place.upper:
        good = _env_value(found, told)
    else:
        good = is_secret_word(found, strong=told.strong) or _plain_word_line(found, whole, told)
    return (at, at + len(found)) if found and good else None


def _plain_word_line(found: str, whole: str, told: Telling) -> bool:
    """``smtp_password=orchid`` alone on its line: code would have spaces or more after it."""
    return (
        told.strong
        and found == whole
        and found.isalnum()
        and not is_reference(found)
        and is_secret_literal(found, strong=True)
    )


def _env_value(word: str, told: Telling) -> bool:
    if is_reference(word) or is_template(word) or "(" in word:
        return False
    if word.lower() in ("true", "false", "none", "null", "0", "1"):
        return False
    return told.strong or looks_random(word)


def _in_dump(place: Place, line: _Line) -> bool:
    text = place.page.text
    before = text.rfind("\n", max(0, line.start - _LONGEST_LINE), max(0, line.start - 1)) + 1
    return _ENV_LINE.match(text, line.end + 1) is not None or (
        line.start > 0 and _ENV_LINE.match(text, before) is not None
    )


def _plain(place: Place, line: _Line) -> Span | None:
    """``name: value`` and ``name = value`` without quotes, where code may stand as well."""
    rest = line.rest.lstrip()
    blank = len(line.rest) - len(rest)
    words = rest.split(None, 1)
    if not words or blank > 16:
        return None
    begin, strong = place.at + blank, place.told.strong
    alone = len(words) == 1 or words[1].startswith(("#", "//"))
    if line.leads and alone and strong and _ALONE.match(words[0]):
        header = place.upper or "-" in place.name
        scalar = place.op == ":"
        good = is_secret_scalar(words[0], header=header) if scalar else is_secret_word(words[0], strong=True)
        return (begin, begin + len(words[0])) if good else None
    value = _WORD.match(place.page.text, begin)
    if value is None or place.page.text[value.end() : value.end() + 1] in ("(", "[", "{", "<"):
        return None
    if not alone and place.op == ":" and _YAML_TAG.match(value.group()):
        return None
    found = value.group().rstrip(".:!?")
    return (begin, begin + len(found)) if is_secret_word(found, strong=strong) else None
