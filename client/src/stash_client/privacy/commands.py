"""Passwords on command lines that no name announces: ``mysql -psecret``, ``curl -u user:secret``; password files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from .page import Finding, Page
from .place import Span
from .values import is_reference

_VALUE = r"(?P<quote>[\"'])?(?P<value>(?(quote)[^\"'\n]{1,512}|[^\s\"'`;&|()<>]{1,512}))"
_PAIR = r"[ =]?(?P<quote>[\"'])?[^\s:\"'%]{1,128}[:%](?P<value>(?(quote)[^\"'\n]{1,512}|[^\s\"'`;&|()<>]{1,512}))"
_REACH = 300
"""How far before a flag its command is looked for, on the same line."""
_COMMANDS = re.compile(
    r"(?:^|(?<=[\s/;&|(\"'`$]))(?:(?P<mysql>(?:mysql|mariadb|mycli|xtrabackup)[\w-]{0,12})"
    r"|(?P<spaced>(?:sshpass|mongo\w{0,12}|cypher-shell|bcp|neo4j-admin))"
    r"|(?P<registry>docker|podman|helm|oras|crane|skopeo|az|oc|nerdctl|buildah)|(?P<login>login)"
    r"|(?P<sql>sqlcmd|isql|bcp)|(?P<zip>(?:un)?zip)|(?P<seven>7za?)|(?P<redis>redis-cli|etcdctl)"
    r"|(?P<ldap>ldap\w{3,10})|(?P<curl>curl|curlie)|(?P<samba>smbclient|rpcclient|net|smbget)|(?P<http>https?|xh))"
    r"(?=[\s\"',])"
)
_SHAPES: dict[str, tuple[re.Pattern[str], ...]] = {
    "mysql": (re.compile(rf"-p(?![\s\"'-]){_VALUE}"), re.compile(r"-p(?P<quote>[\"'])(?P<value>[^\"'\n]{1,512})")),
    "spaced": (re.compile(rf"-p ?{_VALUE}"),),
    "login": (re.compile(rf"-p[ =]{_VALUE}"),),
    "sql": (re.compile(rf"-P ?{_VALUE}"),),
    "zip": (re.compile(rf"-P ?{_VALUE}"),),
    "seven": (re.compile(rf"-p(?!\s){_VALUE}"),),
    "redis": (re.compile(rf"-a {_VALUE}"),),
    "ldap": (re.compile(rf"-w {_VALUE}"),),
    "curl": (re.compile(rf"-[a-zA-Z]{{0,6}}[uU]{_PAIR}"),),
    "samba": (re.compile(rf"-U{_PAIR}"),),
    "http": (re.compile(rf"-a{_PAIR}"),),
}
_FLAGS = (b" -p", b" -u", b" -a", b" -w")
_BUNDLE = re.compile(rf"\s-[a-zA-Z]{{1,6}}u{_PAIR}")
_USER_FLAG = re.compile(
    r"(?:user|proxy-user|http-user|auth|userpwd)[ =](?P<quote>[\"'])?[^\s:\"'%=]{1,128}:"
    r"(?P<value>(?(quote)[^\"'\n]{1,512}|[^\s\"'`;&|()<>]{1,512}))"
)
_ECHOED = re.compile(
    r"(?:echo|printf)(?: -n| [\"']?%s(?:\\n)?[\"']?)? (?P<quote>[\"'])?"
    r"(?P<value>(?(quote)[^\"'\n]{1,512}|[^\s\"'|]{1,512}))"
    r"(?(quote)[\"']) ?\|"
)
_OPENSSL = re.compile(r"pass:(?P<value>[^\s\"']{1,256})")
_PASS_FLAG = re.compile(r"-pass(?:in|out)?[ =][\"']?\Z")
_HTPASSWD = re.compile(r"-[a-zA-Z]{0,5}b[a-zA-Z]{0,5} (?:[^\s-]\S{0,200} )?\S{1,100} (?P<value>[^\s;&|<>]{1,200})")
_IDENTIFIED = re.compile(
    r"identified\s{1,8}(?:with\s{1,8}\S{1,60}\s{1,8})?(?:by|as)\s{1,8}(?:password\s{1,8})?"
    r"(?P<quote>[\"'])(?P<value>[^\"'\n]{1,512})(?P=quote)",
    re.IGNORECASE,
)
_ROLE_BEFORE = re.compile(r"(?:role|user|login|with|encrypted)\s{1,8}\Z", re.IGNORECASE)
_SQL_STRING = re.compile(r"'(?P<value>[^'\n]{1,512})'")
_PGPASS = re.compile(
    r"(?m)^(?:[\w.*-]{1,253}|\[[\da-f:]{2,45}\]):(?:\d{1,5}|\*):[\w*$-]{1,63}:[\w*.@-]{1,63}:"
    r"(?P<value>[^\s:][^\n]{0,256})$"
)
_HASH = re.compile(
    r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id?|d)|pbkdf2[\w-]{0,16}|scrypt)\$[A-Za-z0-9./$=,+-]{8,512}"
    r"|\bpbkdf2_sha\d{1,3}\$\d{1,8}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/=]{20,100}"
    r"|\{(?:SSHA|SHA)\d{0,3}\}[A-Za-z0-9+/]{20,120}={0,2}"
)


def find_command_secrets(page: Page) -> Iterator[Finding]:
    for start, end in chain(
        _flagged(page), _users(page), _piped(page), _bundled(page), _openssl(page), _htpasswd(page), _sql(page)
    ):
        if not is_reference(page.text[start:end]):
            yield Finding(start, end, "password")
    yield from _files(page)


def _flagged(page: Page) -> Iterator[Span]:
    """Flags whose meaning depends on the command; the text before them is read once, from left to right."""
    if b" -" not in page.low:
        return
    seen: dict[str, int] = {}
    text, read = page.text, 0
    for at, length in page.any_hits(_FLAGS):
        flag = at + 1
        line = text.rfind("\n", max(0, flag - _REACH), flag) + 1
        read = max(read, line, flag - _REACH)
        for command in _COMMANDS.finditer(text, read, flag + length):
            _note(seen, command, text)
        read = flag
        for name, start in seen.items():
            if start >= max(line, flag - _REACH):
                for shape in _SHAPES.get(name, ()):
                    found = shape.match(text, flag)
                    if found is not None:
                        yield found.span("value")


def _note(seen: dict[str, int], command: re.Match[str], text: str) -> None:
    """``login`` counts after the name of a registry's client only, in the same command."""
    name = command.lastgroup or ""
    if name == "login":
        client = seen.get("registry", -1)
        if client < command.start() - 220 or client < 0 or any(c in text[client : command.start()] for c in "\n;|&"):
            return
    seen[name] = command.start()


def _users(page: Page) -> Iterator[Span]:
    for at in page.hits(b"--"):
        found = _USER_FLAG.match(page.text, at + 2)
        if found is not None:
            yield found.span("value")


def _bundled(page: Page) -> Iterator[Span]:
    """``curl -sSu user:password``."""
    past = 0
    for at in page.hits(b"curl"):
        past = max(past, at)
        stop = page.text.find("\n", past, at + 600)
        stop = min(len(page.text), at + 600) if stop < 0 else stop
        found = _BUNDLE.search(page.text, past, stop) if past < stop else None
        past = max(past, stop if found is None else found.end())
        if found is not None:
            yield found.span("value")


def _piped(page: Page) -> Iterator[Span]:
    """``echo secret | docker login --password-stdin``."""
    for literal in (b"-stdin", b"--with-token") if b"|" in page.low else ():
        for at in page.hits(literal):
            start = page.text.rfind("\n", max(0, at - _REACH), at) + 1
            pipe = page.text.rfind("|", start, at)
            begin = (
                max(page.text.rfind("echo", start, pipe), page.text.rfind("printf", start, pipe)) if pipe > 0 else -1
            )
            found = _ECHOED.match(page.text, begin, pipe + 1) if begin >= 0 else None
            if found is not None:
                yield found.span("value")


def _openssl(page: Page) -> Iterator[Span]:
    for at in page.hits(b"pass:") if b"-pass" in page.low else ():
        found = _OPENSSL.match(page.text, at)
        if found is not None and _PASS_FLAG.search(page.text, max(0, at - 10), at):
            yield found.span("value")


def _htpasswd(page: Page) -> Iterator[Span]:
    for at in page.hits(b"htpasswd "):
        found = _HTPASSWD.match(page.text, at + 9)
        if found is not None:
            yield found.span("value")


def _sql(page: Page) -> Iterator[Span]:
    for at in page.hits(b"identified"):
        found = _IDENTIFIED.match(page.text, at)
        if found is not None:
            yield found.span("value")
    for at in page.hits(b"password '"):
        if _ROLE_BEFORE.search(page.text, max(0, at - 20), at):
            found = _SQL_STRING.match(page.text, at + 9)
            if found is not None:
                yield found.span("value")


def _files(page: Page) -> Iterator[Finding]:
    """Lines of .pgpass; password hashes as in /etc/shadow and htpasswd."""
    for literal in (b":5432:", b":*:"):
        for at in page.hits(literal):
            start, end = page.line_around(at)
            found = _PGPASS.match(page.text[start:end])
            if found is not None and not is_reference(found["value"]):
                yield Finding(start + found.start("value"), start + found.end("value"), "password")
    for literal in (b"$", b"{sha", b"{ssha") if b"$" in page.low or b"{s" in page.low else ():
        for at in page.hits(literal):
            found = _HASH.match(page.text, at) if literal != b"$" else _dollar_hash(page.text, at)
            if found is not None:
                yield Finding(*found.span(), "password-hash")


def _dollar_hash(text: str, at: int) -> re.Match[str] | None:
    return _HASH.match(text, at) or (
        _HASH.search(text, at - 14, at + 300) if text[at - 13 : at - 3] == "pbkdf2_sha" else None
    )
