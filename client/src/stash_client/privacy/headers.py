"""Authorization and cookie headers, in header, JSON and code form; bearer tokens wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .page import Finding, Page
from .values import is_reference, looks_random

_SCHEMES = (
    "bearer|basic|token|digest|apikey|api-key|negotiate|ntlm|hawk|oauth|signature|key|bot|jwt|sso-key|aws4-hmac-sha256"
    "|splunk|geniekey|dpop"
)
_AUTHORIZATION = re.compile(
    rf"\\{{0,7}}[\"'`]?\]?[ \t]{{0,8}}(?:[:=,]|=>)[ \t]{{0,8}}[bfru]?\\{{0,7}}[\"'`]?"
    rf"(?:(?P<scheme>{_SCHEMES})[ \t:]{{1,8}})?"
    r"(?P<value>[^\s\"'`\\<>,;]{1,256})",
    re.IGNORECASE,
)
"""The first characters tell whether it is a credential; only then the rest of it is read."""
_REST = re.compile(r"[^\s\"'`\\<>,;]{0,8192}")
_LIST_SCHEMES = frozenset({"digest", "oauth", "signature", "aws4-hmac-sha256", "hawk"})
_QUOTED_LIST = re.compile(r"(?:[^\n\"'`\\]|(?P<q>\\{0,3}\")[^\"\n\\]{0,1024}(?P=q)(?=[, \n]|\\{0,3}[\"']|$)){0,400}")
_BEARER = re.compile(r"(?P<scheme>bearer|basic)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{16,8192})", re.IGNORECASE)
_COOKIE = re.compile(r"\\{0,7}[\"'`]?\]?[ \t]{0,8}[:=][ \t]{0,8}[bfru]?\\{0,7}[\"'`]?(?=[\w.%-]{1,128}=)")
_COOKIE_FLAG = re.compile(r"[ =]{1,2}[\"']?(?=[\w.%-]{1,128}=)")
_PAIR = re.compile(r"(?P<name>[\w.%-]{1,128})=(?P<value>[^;\s\"'`\\,]{0,8192})(?:[;,][ \t]{0,4})?")
_ATTRIBUTE = re.compile(r"[ \t]{0,4}(?:httponly|secure|partitioned)[; \t]{0,4}", re.IGNORECASE)
_ATTRIBUTES = frozenset(["path", "domain", "expires", "max-age", "samesite", "priority", "version"])


def find_header_secrets(page: Page) -> Iterator[Finding]:
    yield from _authorizations(page)
    yield from _bearers(page)
    yield from _cookies(page)


def _authorizations(page: Page) -> Iterator[Finding]:
    past = 0
    for at in page.hits(b"authorization"):
        found = _AUTHORIZATION.match(page.text, at + len("authorization")) if at >= past else None
        if found is None:
            continue
        scheme = (found["scheme"] or "").lower()
        if not scheme and (page.text[at - 1 : at].isalnum() or page.text.find(",", at, found.start("value")) >= 0):
            continue
        past = _credential_end(page.text, found, scheme)
        if past > at:
            yield Finding(found.start("value"), past, "authorization")


def _credential_end(text: str, found: re.Match[str], scheme: str) -> int:
    """0: there is none."""
    start, end = found.span("value")
    if scheme in _LIST_SCHEMES and "=" in found["value"]:
        whole = _QUOTED_LIST.match(text, start)
        return max(end, whole.end() if whole else 0)
    if not _is_credential(found["value"], scheme):
        return 0
    rest = _REST.match(text, end)
    return rest.end() if rest else end


def _is_credential(value: str, scheme: str) -> bool:
    if (
        is_reference(value)
        or "(" in value
        or value.lower() in ("token", "none", "null", "credentials", "auth", "true", "false")
    ):
        return False
    if not scheme:
        return looks_random(value) and "." not in value[:8]
    return len(value) >= 6 and (not value.isalpha() or len(value) >= 16 or scheme == "basic") and "{" not in value


def _bearers(page: Page) -> Iterator[Finding]:
    for trigger in (b"bearer ", b"bearer\t", b"basic "):
        for at in page.hits(trigger):
            found = _BEARER.match(page.text, at)
            if found is not None and _is_bearer(found["value"], found["scheme"].lower()):
                yield Finding(*found.span("value"), "authorization")


def _is_bearer(value: str, scheme: str) -> bool:
    mixed = any(c.isdigit() for c in value) or value.endswith("=")
    return mixed and looks_random(value) and (scheme == "bearer" or not value.isalpha()) and not is_reference(value)


def _cookies(page: Page) -> Iterator[Finding]:
    for at in page.hits(b"cookie"):
        opened = _COOKIE.match(page.text, at + 6)
        if opened is None and page.text[max(0, at - 2) : at] == "--":
            opened = _COOKIE_FLAG.match(page.text, at + 6)
        if opened is not None:
            yield from _pairs(page.text, opened.end())
    for at in page.hits(b" -b "):
        flag = _COOKIE_FLAG.match(page.text, at + 3)
        if flag is not None and "curl" in page.text[page.line_around(at)[0] : at]:
            yield from _pairs(page.text, flag.end())


def _pairs(text: str, at: int) -> Iterator[Finding]:
    for _ in range(100):
        flag = _ATTRIBUTE.match(text, at)
        at = flag.end() if flag else at
        pair = _PAIR.match(text, at)
        if pair is None:
            return
        value = pair["value"]
        if pair["name"].lower() not in _ATTRIBUTES and len(value) >= 5 and not is_reference(value) and "(" not in value:
            yield Finding(*pair.span("value"), "cookie")
        at = pair.end()
