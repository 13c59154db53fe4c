"""Credentials inside addresses: ``scheme://user:password@host``, tokens as the user, secret paths and parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .page import Finding, Page
from .values import is_reference, looks_random

_URL_LIMIT = 1024
_END = re.compile(r"[\s\"'`<>\\|]|(?<=[^:]),(?=[a-z+]{2,20}://)")
_HOST = re.compile(r"(?:\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252}))(?::\d{1,5})?(?=[/?#,;:)\]}&]|$)")
_PORT = re.compile(r"\d{1,5}\Z")
_WEB_BEFORE = re.compile(r"(?<![A-Za-z0-9+.-])(?:git\+)?(?:https?|wss?)\Z", re.IGNORECASE)
_CUT = re.compile(r"[/?#]")
_SETTLED = re.compile(r"[^\s@:/]{0,80}:\[redacted:[a-z0-9-]{1,40}\]@")
_SECRET_PATHS = re.compile(
    r"(?P<slack>hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/)(?P<a>[A-Za-z0-9+/_-]{10,200})"
    r"|(?P<discord>discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{5,25}/)(?P<b>[\w-]{20,120})"
    r"|(?P<teams>[\w-]{1,80}\.webhook\.office\.com/webhookb2/)(?P<c>[\w@/-]{20,300})"
    r"|(?P<chat>chat\.googleapis\.com/v1/spaces/[\w-]{1,80}/messages\?)(?P<d>[^\s\"'<>]{10,300})"
    r"|(?P<zapier>hooks\.zapier\.com/hooks/catch/)(?P<e>[\w/-]{6,100})"
    r"|(?P<telegram>api\.telegram\.org/(?:file/)?bot)(?P<f>\d{5,12}:[\w-]{20,64})"
)
_PARAMETER = re.compile(
    r"[?&](?:amp;)?(?P<name>sig|signature|x-amz-signature|x-goog-signature|x-amz-credential|sas|code|state_token"
    r"|auth|pwd|pass|key|apikey|access_code)=(?P<value>[^\s\"'`&#<>\\;?]{6,512})",
    re.IGNORECASE,
)
_ORACLE = re.compile(r"jdbc:oracle:\w{2,8}:[\w$#.-]{1,128}/(?P<value>[^\s\"'@]{1,256})@", re.IGNORECASE)
_QUERY_TRIGGERS = (b"sig=", b"ture=", b"code=", b"sas=", b"auth=", b"key=", b"ential=")


def find_url_secrets(page: Page) -> Iterator[Finding]:
    for at in page.hits(b"://"):
        yield from _credentials(page.text, at)
        path = _SECRET_PATHS.match(page.text, at + 3)
        if path is not None:
            group = next(name for name in "abcdef" if path[name])
            if not is_reference(path[group]):
                yield Finding(*path.span(group), "webhook-url")
    yield from _thin(page)
    yield from _parameters(page)


def _thin(page: Page) -> Iterator[Finding]:
    """``jdbc:oracle:thin:user/password@//host``."""
    for at in page.hits(b"jdbc:oracle:"):
        found = _ORACLE.match(page.text, at)
        if found is not None and not is_reference(found["value"]):
            yield Finding(*found.span("value"), "url-password")


def _parameters(page: Page) -> Iterator[Finding]:
    if b"?" not in page.low and b"&" not in page.low:
        return
    for trigger in _QUERY_TRIGGERS:
        for at in page.hits(trigger):
            start = max(page.text.rfind("?", max(0, at - 24), at), page.text.rfind("&", max(0, at - 24), at))
            found = _PARAMETER.match(page.text, start) if start >= 0 else None
            if found is not None and looks_random(found["value"]) and not is_reference(found["value"]):
                yield Finding(*found.span("value"), "url-parameter")


def _credentials(text: str, at: int) -> Iterator[Finding]:
    start = at + 3
    if text.find("@", start, start + _URL_LIMIT) < 0 or _SETTLED.match(text, start):
        return
    rest = text[start : _end(text, start)]
    if "@" not in rest:
        return
    split = _userinfo_end(rest, web=_WEB_BEFORE.search(text, max(0, at - 12), at) is not None)
    if split is None:
        return
    user, colon, password = rest[:split].partition(":")
    if colon:
        yield from _user_and_password(start, user, password)
    elif _is_token(user):
        yield Finding(start, start + split, "url-token")


def _end(text: str, start: int) -> int:
    """Where the address stops; another address inside it ends it as well."""
    limit = min(len(text), start + _URL_LIMIT)
    nested = text.find("://", start, limit)
    if nested >= 0:
        while nested > start and (text[nested - 1].isalnum() or text[nested - 1] in "+."):
            nested -= 1
        limit = nested
    hit = _END.search(text, start, limit)
    return hit.start() if hit else limit


def _userinfo_end(rest: str, *, web: bool) -> int | None:
    """Offset of the ``@`` before the host. Passwords may contain ``@ : / #``; addresses may have ``@`` in the query."""
    cut = _CUT.search(rest)
    authority = rest[: cut.start()] if cut else rest
    first = authority.rfind("@")
    if first < 0:
        user, colon, password = authority.partition(":")
        if not colon or (_PORT.match(password) and (web or "." in user)) or (web and not password):
            return None
        return _last_host(rest, 0)
    host = _HOST.match(rest, first + 1)
    if web and host is not None and ("." in host.group() or ":" in host.group() or host.group() == "localhost"):
        return first
    if ":" not in authority[:first]:
        return first
    return _last_host(rest, first) or first


def _last_host(rest: str, floor: int) -> int | None:
    """The last ``@`` that a host follows and that is not part of a query, a scope or a version."""
    query = rest.find("?")
    best = rest.rfind("@", 0, query if query > rest.find("@") >= 0 else len(rest))
    tries = 0
    while best >= floor and best >= 0 and tries < 16:
        if rest[best - 1 : best] != "/" and not rest[:best].endswith(".git") and _HOST.match(rest, best + 1):
            return best
        best, tries = rest.rfind("@", 0, best), tries + 1
    return None


def _user_and_password(start: int, user: str, password: str) -> Iterator[Finding]:
    begin = start + len(user) + 1
    if password and not is_reference(password):
        yield Finding(begin, begin + len(password), "url-password")
    if _is_token(user):
        yield Finding(start, start + len(user), "url-token")


def _is_token(user: str) -> bool:
    return len(user) >= 16 and looks_random(user) and "." not in user and not is_reference(user)
