"""Passwords on command lines that no name announces: ``mysql -psecret``, ``curl -u user:secret``; password files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .page import Finding, Page
from .values import is_reference

_VALUE = r"(?P<quote>[\"'])?(?P<value>(?(quote)[^\"'\n]{1,512}|[^\s\"'`;&|()<>]{1,512}))"
_PAIR = r"[ =]?(?P<quote>[\"'])?[^\s:\"'%]{1,128}[:%](?P<value>(?(quote)[^\"'\n]{1,512}|[^\s\"'`;&|()<>]{1,512}))"
# what must stand before it on the line, the flag with its value
_RULES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(rf"(?:^|[\s/;&|(\"'`$]){command}(?=[\s\"',])"), re.compile(flag))
    for command, flag in (
        (r"(?:mysql\w{0,12}|mariadb[\w-]{0,12}|mysqlsh|mycli|xtrabackup)", rf"-p(?![\s\"'-]){_VALUE}"),
        (r"(?:mysql\w{0,12}|mariadb[\w-]{0,12})", r"-p(?P<quote>[\"'])(?P<value>[^\"'\n]{1,512})"),
        (r"(?:sshpass|mongo\w{0,12}|cypher-shell|bcp|neo4j-admin)", rf"-p ?{_VALUE}"),
        (r"(?:docker|podman|helm|oras|crane|skopeo|az|oc|nerdctl)[^\n;|&]{0,200}\slogin", rf"-p[ =]{_VALUE}"),
        (r"(?:sqlcmd|isql|bcp)", rf"-P ?{_VALUE}"),
        (r"(?:zip|unzip)", rf"-P ?{_VALUE}"),
        (r"7za?", rf"-p(?!\s){_VALUE}"),
        (r"(?:redis-cli|etcdctl)", rf"-a {_VALUE}"),
        (r"(?:ldap\w{3,10})", rf"-w {_VALUE}"),
        (r"(?:curl|curlie)", rf"-[a-zA-Z]{{0,6}}[uU]{_PAIR}"),
        (r"(?:smbclient|rpcclient|net|smbget)", rf"-U{_PAIR}"),
        (r"(?:https?|xh)", rf"-a{_PAIR}"),
        (r"htpasswd(?:[ ]-[A-Za-z]{0,6}b[A-Za-z]{0,6})", r"\S{1,200} \S{1,100} (?P<quote>)(?P<value>\S{1,200})"),
    )
)
_FLAGS = (b" -p", b" -u", b" -a", b" -w")
_CURL = re.compile(rf"curl(?=[\s\"',])[^\n]{{0,600}}?\s-[a-zA-Z]{{1,6}}u{_PAIR}")
_USER_FLAG = re.compile(
    r"(?:user|proxy-user|http-user|auth|userpwd)[ =](?P<quote>[\"'])?[^\s:\"'%=]{1,128}:"
    r"(?P<value>(?(quote)[^\"'\n]{1,512}|[^\s\"'`;&|()<>]{1,512}))"
)
_OPENSSL = re.compile(r"(?:-passin|-passout|-pass)[ =][\"']?pass:(?P<value>[^\s\"']{1,256})")
_HTPASSWD = re.compile(r"-[a-zA-Z]{0,5}b[a-zA-Z]{0,5} (?:[^\s-]\S{0,200} )?\S{1,100} (?P<value>[^\s;&|<>]{1,200})")
_IDENTIFIED = re.compile(
    r"identified\s{1,8}(?:with\s{1,8}\S{1,60}\s{1,8})?(?:by|as)\s{1,8}(?:password\s{1,8})?(?P<quote>[\"'])(?P<value>[^\"'\n]{1,512})(?P=quote)"
    r"|(?:role|user|login|with|encrypted)\s{1,8}password\s{1,8}(?P<q2>['])(?P<v2>[^'\n]{1,512})'",
    re.IGNORECASE,
)
_PGPASS = re.compile(
    r"(?m)^(?:[\w.*-]{1,253}|\[[\da-f:]{2,45}\]):(?:\d{1,5}|\*):[\w*$-]{1,63}:[\w*.@-]{1,63}:(?P<value>[^\s:][^\n]{0,256})$"
)
_HASH = re.compile(
    r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id?|d)|pbkdf2[\w-]{0,16}|scrypt)\$[A-Za-z0-9./$=,+-]{8,512}"
    r"|\bpbkdf2_sha\d{1,3}\$\d{1,8}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/=]{20,100}|\{(?:SSHA|SHA)\d{0,3}\}[A-Za-z0-9+/]{20,120}={0,2}"
)


def find_command_secrets(page: Page) -> Iterator[Finding]:
    for flag in _FLAGS:
        for at in page.hits(flag):
            yield from _flagged(page, at + 1)
    for at in page.hits(b"--"):
        found = _USER_FLAG.match(page.text, at + 2)
        if found is not None and not is_reference(found["value"]):
            yield Finding(*found.span("value"), "password")
    yield from _spelled(page, b"curl", _CURL, 0)
    yield from _spelled(page, b"pass:", _OPENSSL, 16)
    yield from _spelled(page, b"htpasswd ", _HTPASSWD, 0, skip=9)
    yield from _sql(page)
    yield from _files(page)


def _flagged(page: Page, at: int) -> Iterator[Finding]:
    start, _end = page.line_around(at)
    before = page.text[max(start, at - 300) : at]
    for command, flag in _RULES:
        found = flag.match(page.text, at)
        if found is not None and command.search(before) and not is_reference(found["value"]):
            yield Finding(*found.span("value"), "password")


def _spelled(page: Page, literal: bytes, shape: re.Pattern[str], reach: int, *, skip: int = 0) -> Iterator[Finding]:
    for at in page.hits(literal):
        found = shape.search(page.text, max(0, at - reach), at + 600) if reach else shape.match(page.text, at + skip)
        if found is not None and not is_reference(found["value"]):
            yield Finding(*found.span("value"), "password")


def _sql(page: Page) -> Iterator[Finding]:
    for literal, reach in ((b"identified", 0), (b"password '", 20)):
        for at in page.hits(literal):
            found = _IDENTIFIED.search(page.text, max(0, at - reach), at + 700)
            if found is not None:
                group = "value" if found["value"] else "v2"
                if not is_reference(found[group]):
                    yield Finding(*found.span(group), "password")


def _files(page: Page) -> Iterator[Finding]:
    """Lines of .pgpass; password hashes as in /etc/shadow and htpasswd."""
    for literal in (b":5432:", b":*:"):
        for at in page.hits(literal):
            start, end = page.line_around(at)
            found = _PGPASS.match(page.text[start:end])
            if found is not None and not is_reference(found["value"]):
                yield Finding(start + found.start("value"), start + found.end("value"), "password")
    for literal in (b"$", b"{sha", b"{ssha"):
        for at in page.hits(literal):
            found = _HASH.match(page.text, at) if literal != b"$" else _dollar_hash(page.text, at)
            if found is not None:
                yield Finding(*found.span(), "password-hash")


def _dollar_hash(text: str, at: int) -> re.Match[str] | None:
    return _HASH.match(text, at) or (
        _HASH.search(text, at - 14, at + 300) if text[at - 13 : at - 3] == "pbkdf2_sha" else None
    )
