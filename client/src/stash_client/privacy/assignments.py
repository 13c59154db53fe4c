"""Secrets known by the name beside them: shell, dotenv, JSON, YAML, TOML, INI, SQL, code, flags, XML, query strings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .names import TRIGGERS, Telling, telling
from .page import Finding, Page
from .patterns import Patterns
from .values import is_reference, is_secret_literal, is_secret_scalar, is_secret_word, is_template, looks_random

_LONGEST = 8192
"""Characters of a quoted value."""
_QUOTE = r"\\{0,7}(?:\"\"\"|'''|[\"'`])"
_AFTER_NAME = re.compile(
    rf"(?P<close>{_QUOTE})?(?P<index>\])?(?P<gap>[ \t]{{0,16}})"
    r"(?P<op>=>|:=|:-|\?=|\+=|===|==|!==|!=|=|:|,|>)?"
    rf"[ \t]{{0,16}}(?:(?P<prefix>[rbufRBUF@]{{1,2}})(?=[\"']))?(?P<open>{_QUOTE})?"
)
_ANNOTATION = re.compile(r"[ \t]{0,4}&?[A-Za-z_][\w.\[\]<>| ?]{0,60}?[ \t]{0,4}(?<![=!<>])=(?!=)[ \t]{0,4}")
_LINE_START = re.compile(
    r"[ \t+>|-]{0,12}(?:\d+[:|\t][ \t]{0,8})?(?:export[ \t]+|ENV[ \t]+|ARG[ \t]+|declare -x[ \t]+|set[ \t]+)?\Z"
)
_COMMAND_BEFORE = re.compile(
    r"(?:^|[\s;&|(])(?:set(?:env|x)?(?:[ \t]+-[A-Za-z]{1,4}){0,3}|ENV|config[ \t]+set|configure[ \t]+set"
    r"|secrets?[ \t]+set)[ \t]+(?:\S{0,80}:)?\Z"
)
_GETTER_BEFORE = re.compile(r"(?:env|get|set|put|add|default)\w{0,12}\(\s{0,4}\\{0,3}[\"'`]\Z", re.IGNORECASE)
_NETRC_BEFORE = re.compile(r"\blogin[ \t]+\S{1,100}\s{1,20}\Z")
_SHELL_WORD = re.compile(r"(?:[^\s\"'`;&|()<>\\]|\\[^nrt\s]){1,512}")
_WORD = re.compile(r"[^\s\"'`,;&|(){}\[\]<>\\]{1,4096}")
_LOOSE = re.compile(r"[^\s\"'`;<>\\]{1,4096}")
_UNTIL_SEMICOLON = re.compile(r"[^\s\"'`;<>]{1,1024}")
_DEFAULT = re.compile(r"[^\s{}]{1,512}(?=\})")
_CONNECTION = re.compile(
    r"(?:server|data source|host|endpoint|accountname|endpointsprotocol|user id|uid|database)\s?=[^;]{0,200};",
    re.IGNORECASE,
)
_QUERY = re.compile(r"[^\s\"'`&#<>\\;]{1,4096}")
_XML = re.compile(r"[^<>\n]{1,1024}(?=</)")
_BLOCK = re.compile(
    r"[|>][+-]?\d?[ \t]{0,8}\n(?P<body>(?P<indent>[ \t]{1,40})\S[^\n]{0,4096}(?:\n(?P=indent)[^\n]{0,4096}){0,200})"
)
_ENV_LINE = re.compile(r"[A-Za-z_]\w{0,80}=")
_SPLIT_PAIR = re.compile(
    r"(?:\\{0,7}[\"'],?(?:\\n|\s){0,24}|,?[ \t]{0,4}(?:\\n|\r?\n)(?:\\n|\s){0,24})"
    r"(?:\\{0,7}[\"'])?(?:value|Value|VALUE)(?:\\{0,7}[\"'][ \t]{0,4}[:=]|:|=(?=[\"']))[ \t]{0,4}"
)
_BODY_FLAG = re.compile(r"[ \t]{1,4}(?:--body|-b|--value|--data-file)[ =][\"']?(?P<word>[^\s\"']{1,512})")
_LIST = re.compile(r"[ \t]{0,4}[:=][ \t]{0,4}\[\s{0,8}(?=\\{0,7}[\"'])")
_LIST_ITEM = re.compile(r"\s{0,24}(?P<quote>\\{0,7}[\"'])(?P<value>[^\"'\n\\]{1,1024})(?P=quote)\s{0,8},?")
_KEY_BEFORE = re.compile(r"(?:api|access|secret|private|signing|encryption|auth|account|master)[ ]\Z", re.IGNORECASE)
_IS = re.compile(r"[ \t]{1,4}(?:is|was|are|=|->|to)[ \t:]{1,4}(?P<open>[\"'`])?(?P<word>[^\s\"'`,;<>()]{5,512})")
_NEXT_TO = re.compile(r"[ \t:]{1,4}(?P<open>[\"'`(])?(?P<word>[A-Za-z0-9+/=_.~-]{20,512})(?![\w/])")


def find_assignments(page: Page, patterns: Patterns) -> Iterator[Finding]:
    seen: set[int] = set()
    for trigger in TRIGGERS:
        for at in page.hits(trigger):
            start, end = page.name_around(at, at + len(trigger))
            if end in seen:
                continue
            seen.add(end)
            told = telling(page.text[start:end].strip(".-")) or _spaced_key(page.text, start, end)
            if told is not None:
                yield from _beside(page, start, end, told)
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
    after = _AFTER_NAME.match(text, end)
    if after is None or _is_part(text, start, after):
        return
    pair = _SPLIT_PAIR.match(text, end)
    if pair is not None:
        span = _any_value(text, pair.end())
        if span is not None and not is_reference(text[span[0] : span[1]]):
            yield Finding(*span, told.type)
        return
    if told.strong and text.find("[", end, end + 16) >= 0:
        yield from _listed(text, end, told)
    span = _value(page, start, end, after, told)
    if span is not None:
        yield Finding(*span, told.type)


def _listed(text: str, end: int, told: Telling) -> Iterator[Finding]:
    """``"secrets": ["a", "b"]``."""
    close = re.compile(_QUOTE).match(text, end)
    opened = _LIST.match(text, close.end() if close else end)
    item = _LIST_ITEM.match(text, opened.end()) if opened else None
    while item is not None:
        if is_secret_literal(item["value"], strong=True):
            yield Finding(*item.span("value"), told.type)
        item = _LIST_ITEM.match(text, item.end())


def _is_part(text: str, start: int, after: re.Match[str]) -> bool:
    """The user of an address, a piece of an ARN or of a type's name: nothing is assigned there."""
    before = text[max(0, start - 3) : start]
    if before == "://" or before.endswith("::"):
        return True
    if after["op"] == ":" and before.endswith(":") and not after["gap"]:
        return True
    # 'Password: ' — the quote after the colon closes the one before the name
    return after["op"] == ":" and not after["close"] and bool(after["open"]) and before.endswith(after["open"])


def _any_value(text: str, at: int) -> tuple[int, int] | None:
    opened = re.compile(_QUOTE).match(text, at)
    if opened is not None:
        return _quoted(text, opened.end(), opened.group())
    word = _LOOSE.match(text, at)
    return word.span() if word else None


def _value(page: Page, start: int, end: int, after: re.Match[str], told: Telling) -> tuple[int, int] | None:
    text, op, opened = page.text, after["op"], after["open"]
    name = text[start:end]
    upper, flag = name.isupper(), name.startswith("-")
    if op == ":" and not opened:
        note = _ANNOTATION.match(text, after.end("op"))
        if note is not None:
            again = re.compile(_QUOTE).match(text, note.end())
            if again is not None:
                return _literal(text, again.end(), again.group(), told.strong)
    if opened and opened[-1] in "\"'`":
        if op == "," and not flag and not (upper and _GETTER_BEFORE.search(text[max(0, start - 60) : start])):
            return None
        if op == ">" or (op is None and not _spaced_quote_counts(text, start, after, upper, flag)):
            return None
        if _is_template(text, after):
            return None
        strong = told.strong or (op == "=" and upper and after["gap"] == "")
        return _literal(text, after.end(), opened, strong, whole=upper and op == "=" and not after["gap"])
    if op is None:
        return _after_space(text, start, end, after, told, flag)
    if op in (",", "==", "!=", "===", "!=="):
        return None
    if op == ">":
        return _xml(text, start, after, told)
    return _bare(page, start, after, told, upper, flag)


def _is_template(text: str, after: re.Match[str]) -> bool:
    """``f"{user}:{n}"`` and ``r"[a-z]+"`` are code, not values."""
    prefix = (after["prefix"] or "").lower()
    value = text[after.end() : after.end() + 200].split(after["open"], 1)[0]
    return ("f" in prefix and "{" in value) or ("r" in prefix and any(c in value for c in "[](\\"))


def _spaced_quote_counts(text: str, start: int, after: re.Match[str], upper: bool, flag: bool) -> bool:
    if not after["gap"] or after["close"]:
        return False
    return upper or flag or _COMMAND_BEFORE.search(text[max(0, start - 120) : start]) is not None


def _literal(text: str, at: int, quote: str, strong: bool, *, whole: bool = False) -> tuple[int, int] | None:
    span = _quoted(text, at, quote)
    if span is None:
        return None
    value = text[span[0] : span[1]]
    if whole and strong:
        return None if is_reference(value) else span
    return span if is_secret_literal(value, strong=strong) else None


def _quoted(text: str, at: int, quote: str) -> tuple[int, int] | None:
    """From ``at`` to the same quote with the same number of backslashes, or to the end of the line."""
    slashes = len(quote) - len(quote.lstrip("\\"))
    stop = text.find("\n", at, at + _LONGEST)
    stop = min(len(text), at + _LONGEST) if stop < 0 else stop
    probe = at
    while True:
        probe = text.find(quote.lstrip("\\"), probe, stop)
        if probe < 0:
            return (at, stop) if stop > at else None
        before = probe
        while before > at and text[before - 1] == "\\":
            before -= 1
        if (probe - before == slashes) or (slashes == 0 and (probe - before) % 2 == 0):
            return (at, probe - slashes) if probe - slashes > at else None
        probe += 1


def _after_space(
    text: str, start: int, end: int, after: re.Match[str], told: Telling, flag: bool
) -> tuple[int, int] | None:
    """``--password x``, ``setenv NAME x``, ``login u password x``, ``the password is x``."""
    before = text[max(0, start - 160) : start]
    if after["gap"] and not after["close"]:
        body = _BODY_FLAG.match(text, end) if _COMMAND_BEFORE.search(before) else None
        if body is not None:
            return None if is_reference(body["word"]) else body.span("word")
        if flag or _COMMAND_BEFORE.search(before) or _NETRC_BEFORE.search(before):
            word = _SHELL_WORD.match(text, after.end())
            if word and not word.group().startswith("-") and not is_reference(word.group()):
                return word.span() if _flag_value(word.group(), told, flag or text[start:end].isupper()) else None
            return None
    said = _IS.match(text, end)
    if said is not None and _said(said["word"].rstrip(".!?:"), told):
        return said.start("word"), said.start("word") + len(said["word"].rstrip(".!?:"))
    near = _NEXT_TO.match(text, end)
    if near is not None and _high_entropy(near["word"]):
        return near.start("word"), near.start("word") + len(near["word"].rstrip("."))
    return None


def _flag_value(word: str, told: Telling, certain: bool) -> bool:
    return told.strong or (certain and told.type == "token") or looks_random(word)


def _said(word: str, told: Telling) -> bool:
    mixed = any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
    return is_secret_word(word, strong=True) and mixed and (told.type == "password" or looks_random(word))


def _high_entropy(word: str) -> bool:
    """Twenty characters or more without a word in them: digits and letters in turn, no path, no name."""
    if "/" in word and not word.endswith("="):
        return False
    turns = sum(a.isdigit() != b.isdigit() for a, b in zip(word, word[1:]))
    return turns >= max(4, len(word) // 8) and not is_reference(word) and word.count("-") < 4 and word.count(".") < 2


def _xml(text: str, start: int, after: re.Match[str], told: Telling) -> tuple[int, int] | None:
    if text[start - 1 : start] != "<" and text[start - 1 : start] != ":":
        return None
    value = _XML.match(text, after.end("op"))
    if value is None or not is_secret_literal(value.group(), strong=told.strong):
        return None
    return value.span()


def _bare(
    page: Page, start: int, after: re.Match[str], told: Telling, upper: bool, flag: bool
) -> tuple[int, int] | None:
    """An unquoted value after ``=`` or ``:``."""
    text, at, op = page.text, after.end(), after["op"]
    if op == ":-":
        return _checked(_DEFAULT.match(text, at), told.strong)
    block = _BLOCK.match(text, at)
    if block is not None and op == ":":
        return None if is_reference(block["body"]) else block.span("body")
    line_start, line_end = page.line_around(start)
    leads = _LINE_START.match(text[line_start:start]) is not None if start - line_start < 80 else False
    tight = not after["gap"] and after.end("op") == at
    before = text[start - 1 : start]
    if before in ("?", "&") and op == "=":
        return _checked(_QUERY.match(text, at), told.strong or told.type == "token")
    near = text[max(line_start, start - 300) : min(line_end, at + 200)]
    if op == "=" and (before == ";" or ";" in text[at : at + 200]) and _CONNECTION.search(near):
        return _checked(_UNTIL_SEMICOLON.match(text, at), told.strong)
    if op == "=" and tight and (upper or leads) and not flag:
        return _env(text, at, line_start, line_end, told, upper, leads)
    if (
        op == "="
        and tight
        and before in (" ", "\t", '"', "'", "=")
        and "(" not in text[line_start:start]
        and told.strong
    ):
        word = _LOOSE.match(text, at)
        if word and word.group().isalnum() and is_secret_literal(word.group(), strong=True):
            return word.span()
    if flag and op == "=":
        return _checked(_SHELL_WORD.match(text, at), True)
    return _plain(text, at, line_end, told, leads, op, upper or "-" in text[start : after.start()])


def _checked(value: re.Match[str] | None, strong: bool) -> tuple[int, int] | None:
    if value is None or is_reference(value.group()):
        return None
    if not strong and not looks_random(value.group()):
        return None
    return value.span()


def _env(
    text: str, at: int, line_start: int, line_end: int, told: Telling, upper: bool, leads: bool
) -> tuple[int, int] | None:
    """``NAME=value`` as a shell or a dump of the environment writes it."""
    rest = text[at:line_end]
    word = rest.split(None, 1)[0] if rest[:1].strip() else ""
    whole = rest.rstrip()
    if (
        upper
        and leads
        and told.strong
        and whole != word
        and _in_dump(text, line_start, line_end)
        and not re.match(r"[A-Za-z_]\w*=|\./|[#|&;]", whole[len(word) :].lstrip())
    ):
        return None if is_reference(whole) else (at, at + len(whole))
    if leads and whole == word and upper:
        return (at, at + len(word)) if not is_reference(word) and word and _env_value(word, told) else None
    value = _LOOSE.match(text, at)
    if value is None:
        return None
    stop = value.end()
    while stop > at and text[stop - 1] in ",)]}":
        stop -= 1
    found = text[at:stop]
    good = (
        _env_value(found, told)
        if upper
        else is_secret_word(found, strong=told.strong) or _plain_word_line(found, whole, told)
    )
    return (at, stop) if found and good else None


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
    if (
        is_reference(word)
        or is_template(word)
        or word.lower() in ("true", "false", "none", "null", "0", "1")
        or "(" in word
    ):
        return False
    return told.strong or looks_random(word)


def _in_dump(text: str, line_start: int, line_end: int) -> bool:
    before = text.rfind("\n", max(0, line_start - _LONGEST), max(0, line_start - 1)) + 1
    return _ENV_LINE.match(text, line_end + 1) is not None or (
        line_start > 0 and _ENV_LINE.match(text, before) is not None
    )


def _plain(
    text: str, at: int, line_end: int, told: Telling, leads: bool, after_op: str, header: bool
) -> tuple[int, int] | None:
    """``name: value`` and ``name = value`` without quotes, where code may stand as well."""
    rest = text[at:line_end]
    words = rest.split(None, 1)
    if not words or (rest[:1].isspace() and len(rest) - len(rest.lstrip()) > 16):
        return None
    begin = at + len(rest) - len(rest.lstrip())
    alone = len(words) == 1 or words[1].startswith(("#", "//"))
    if leads and alone and told.strong and re.match(r"[^\s\"'`(){}\[\]<>,;]{4,}\Z", words[0]):
        good = is_secret_scalar(words[0], header=header) if after_op == ":" else is_secret_word(words[0], strong=True)
        return (begin, begin + len(words[0])) if good else None
    value = _WORD.match(text, begin)
    if value is None or text[value.end() : value.end() + 1] in ("(", "[", "{", "<"):
        return None
    found = value.group().rstrip(".:!?")
    return (begin, begin + len(found)) if is_secret_word(found, strong=told.strong) else None
