"""Which names tell that the value beside them is secret.

The last meaningful word decides: ``smtp_password`` and ``apiKey`` tell, ``password_hint`` and ``SSH_AUTH_SOCK`` do
not. Words like ``key`` tell only in company (``api key``, ``STRIPE_KEY``).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .words import words

TRIGGERS: tuple[bytes, ...] = (b"pass", b"pw", b"secret", b"token", b"key", b"auth", b"cred", b"psk")
"""Every telling name contains one of these, in lower case."""


class Telling(NamedTuple):
    """``strong``: nearly any value is a secret. Weak names need a value that looks like one."""

    type: str
    strong: bool


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NEUTRAL = words(
    """
    base value val plain plaintext raw string str data encoded b64 base old new current prev previous next
    confirm confirmation again repeat prod production dev development staging stage test live sandbox local root
    primary secondary main global v
    """
)
_STRONG = {
    **dict.fromkeys(
        [
            "password",
            "passwd",
            "passphrase",
            "passcode",
            "pwd",
            "pw",
            "userpw",
            "userpwd",
            "passwort",
            "psk",
            "motdepasse",
            "contrasena",
        ],
        "password",
    ),
    **dict.fromkeys(["secret", "secrets"], "secret"),
    **dict.fromkeys(["credential", "credentials", "creds"], "credential"),
    **dict.fromkeys(["apikey", "secretkey", "accesskey", "privatekey", "authkey", "masterkey", "accountkey"], "key"),
}
_ENDINGS = (
    ("password", "password"), ("passwd", "password"), ("passphrase", "password"), ("passcode", "password"),
    ("secret", "secret"), ("apikey", "key"), ("secretkey", "key"), ("authtoken", "token"), ("accesstoken", "token"),
)  # fmt: skip
_PASS = words(
    """
    db user root mysql smtp mail ftp redis admin login http proxy rabbitmq pg postgres mongo ldap
    """
)
_KEY_QUALIFIERS = words(
    """
    api secret access private signing sign encryption encrypt crypto auth authorization master account shared
    app application service deploy ssh aes hmac jwt storage subscription license webhook consumer bot functions
    function instrumentation ingest write admin tls ssl client server merchant stripe sendgrid mailgun datadog
    dd openai anthropic gemini google azure aws gcp github gitlab twilio algolia sentry segment amplitude
    mixpanel heroku cloudflare cf groq mistral cohere maps newrelic rsa wandb tavily firecrawl deepseek
    openrouter together replicate pinecone qdrant weaviate elastic supabase vault
    """
)
_NOT_SECRET_KEYS = words(
    """
    session public pub primary foreign partition sort cache group row lookup unique index hot
    """
)
_NOT_SECRET_TOKENS = words(
    """
    next page continuation pagination cursor input output sync update resume eos bos pad unk sep cls mask
    special end start stop first last public invalid syntax current continue expected unexpected list
    """
)
"""Marks of a place in a list or of a text's grammar."""
_BY_NAME = frozenset(["existing", "pull"])
"""``existingSecret: db``, ``imagePullSecret: registry``: objects of a cluster that hold a secret, by their names."""
_WEAK = {"auth": "authorization", "key": "key", "pass": "password", "pw": "password", "token": "token"}


@lru_cache(maxsize=8192)
def telling(name: str) -> Telling | None:
    """What the name says about its value; None when nothing."""
    parts = [word.lower() for word in _WORD.findall(name[-80:].rpartition(".")[2])]
    while len(parts) > 1 and (parts[-1] in _NEUTRAL or parts[-1].isdigit()):
        parts.pop()
    if not parts:
        return None
    last, before = parts[-1], parts[:-1]
    if _BY_NAME.intersection(before):
        return None
    if last in _STRONG:
        return Telling(_STRONG[last], last != "pw" or bool(before))
    for ending, type in _ENDINGS:
        if last.endswith(ending):
            return Telling(type, True)
    return _in_company(name, last, before)


def _in_company(name: str, last: str, before: list[str]) -> Telling | None:
    if last.endswith("token"):
        return None if _NOT_SECRET_TOKENS.intersection(before) else Telling("token", bool(before))
    if last == "pass" and before and before[-1] in _PASS:
        return Telling("password", True)
    if last in ("pass", "pw"):
        return Telling(_WEAK[last], False)
    if last.endswith(("dbpass", "userpass", "rootpass", "dbpwd", "mysqlpwd", "mysqlpass")):
        return Telling("password", True)
    if last == "auth":
        return (
            Telling("authorization", name.lower().endswith("__auth"))
            if name.lower() in ("auth", "_auth") or before
            else None
        )
    return _key(name, last, before)


def _key(name: str, last: str, before: list[str]) -> Telling | None:
    if last not in ("key", "keys") or not before or _NOT_SECRET_KEYS.intersection(before):
        return None
    if before[-1] in ("gpg", "pgp"):
        return None  # a fingerprint; the key itself has lines of its own
    if before[-1] in _KEY_QUALIFIERS:
        return Telling("key", last == "key")
    return Telling("key", False) if name.isupper() else None
