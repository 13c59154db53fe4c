"""Keys and tokens that show what they are: a literal prefix and a run of characters after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .page import Finding, Page

_AN = "A-Za-z0-9"
_URL = "A-Za-z0-9_-"
_DOT = "A-Za-z0-9_.-"
_HEX = "a-fA-F0-9"
_B64 = "A-Za-z0-9+/=_-"
_UP = "A-Z0-9"

_PREFIX_REACH = 12
"""A prefix may end in a character that is not part of a long word (``SG.``), so matching starts this much earlier."""


@dataclass(frozen=True)
class Token:
    """``glued``: the prefix is so particular that it counts in the middle of a word as well."""

    type: str
    prefix: str
    body: re.Pattern[str]
    glued: bool


def compile_token(type: str, prefix: str, chars: str, low: int, high: int | None, *, glued: bool) -> Token:
    body = f"[{chars}]{{{low},}}" if high is None else f"[{chars}]{{{low},{high}}}(?![{chars}])"
    return Token(type, prefix, re.compile(re.escape(prefix) + body), glued)


# type, prefixes, characters after it, fewest of them, may stand inside a word
_TABLE: tuple[tuple[str, str, str, int, bool], ...] = (
    ("stash-key", "stash_", _URL, 40, True),
    ("anthropic-key", "sk-ant-", _URL, 16, True),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", _URL, 16, True),
    ("openrouter-key", "sk-or-v1- sk-or-", _URL, 16, True),
    ("langfuse-key", "sk-lf- pk-lf-", _URL, 20, False),
    ("provider-key", "sk-sp- sk-", _DOT, 20, False),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _AN, 30, True),
    ("github-token", "github_pat_", "A-Za-z0-9_", 30, True),
    ("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- glffct- gloas-", _DOT, 18, True),
    ("bitbucket-token", "ATBB ATCTT3 BBDC-", _B64, 24, False),
    ("atlassian-token", "ATATT3", _B64, 24, True),
    ("google-key", "AIza", _URL, 30, True),
    ("google-oauth", "ya29. GOCSPX-", _DOT, 20, True),
    ("google-oauth", "1//0", _URL, 30, False),
    ("aws-key-id", "AKIA ASIA ABIA ACCA", _UP, 16, False),
    ("aws-session-token", "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz", _B64, 40, True),
    ("aws-bedrock-key", "ABSK", _B64, 60, False),
    (
        "slack-token",
        "xoxb- xoxa- xoxp- xoxr- xoxs- xoxo- xoxe- xoxe.xoxp- xoxe.xoxb- xoxc- xoxd- xapp-",
        "%." + _B64,
        10,
        True,
    ),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", _B64, 16, True),
    ("twilio-key", "SK", _HEX, 32, False),
    ("sendgrid-key", "SG.", _DOT, 32, False),
    ("mailgun-key", "key-", _HEX, 32, False),
    ("brevo-key", "xkeysib- xsmtpsib-", _URL, 32, True),
    ("resend-key", "re_", "A-Za-z0-9_", 24, False),
    ("huggingface-token", "hf_ api_org_", _AN, 30, False),
    ("npm-token", "npm_", _AN, 30, True),
    ("pypi-token", "pypi-AgE pypi-", _URL, 40, True),
    ("rubygems-key", "rubygems_", _HEX, 40, True),
    ("nuget-key", "oy2", "a-z0-9", 43, False),
    ("docker-token", "dckr_pat_ dckr_oat_", _URL, 20, True),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _AN, 32, True),
    ("vault-token", "hvs. hvb. hvr.", _URL, 20, True),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", _DOT, 30, False),
    ("databricks-token", "dapi", _HEX + "-", 32, False),
    ("grafana-token", "glsa_ glc_", _B64, 24, True),
    ("newrelic-key", "NRAK- NRII- NRJS- NRRA-", _AN, 19, True),
    ("datadog-key", "ddapp_ ddapi_", _AN, 24, True),
    ("sentry-token", "sntrys_ sntryu_", _B64, 32, True),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _DOT, 24, True),
    ("postman-key", "PMAK-", _HEX + "-", 32, True),
    ("pulumi-token", "pul-", _HEX, 40, False),
    ("linear-key", "lin_api_ lin_oauth_", _AN, 24, True),
    ("notion-key", "ntn_", _AN, 32, False),
    ("notion-key", "secret_", _AN, 40, False),
    ("figma-token", "figd_ figo_ figu_", _URL, 24, True),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", _AN, 24, True),
    ("square-token", "sq0csp- sq0atp- sq0idp- EAAAE EAAAl", _URL, 22, False),
    ("facebook-token", "EAAC EAAG EAAB", _AN, 60, False),
    ("xai-key", "xai-", _AN, 40, False),
    ("groq-key", "gsk_", _AN, 32, False),
    ("perplexity-key", "pplx-", _AN, 32, False),
    ("replicate-token", "r8_", _AN, 30, False),
    ("fireworks-key", "fw_", _AN, 22, False),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", "A-Za-z0-9_", 32, True),
    ("pinecone-key", "pcsk_", "A-Za-z0-9_", 32, True),
    ("cerebras-key", "csk-", _AN, 32, False),
    ("nvidia-key", "nvapi-", _URL, 32, True),
    ("tavily-key", "tvly-", _URL, 24, False),
    ("supabase-key", "sbp_ sb_secret_", _URL, 24, False),
    ("netlify-token", "nfp_ nfc_", _AN, 30, False),
    ("vercel-token", "vercel_blob_rw_ vcp_ vck_ vca_ vci_", "A-Za-z0-9_", 24, False),
    ("heroku-key", "HRKU-", _URL, 30, True),
    ("fly-token", "fm2_ fm1r_ fm1a_ fo1_", _B64, 40, False),
    ("tailscale-key", "tskey-", _URL, 20, True),
    ("cloudflare-token", "v1.0-", _HEX + "-", 100, False),
    ("airtable-token", "pat", "A-Za-z0-9.", 70, False),
    ("alibaba-key", "LTAI", _AN, 16, False),
    ("tencent-key", "AKID", _AN, 28, False),
    ("yandex-key", "AQVN", _URL, 34, False),
    ("dropbox-token", "sl.", _URL, 60, False),
    ("artifactory-token", "AKCp", _AN, 60, False),
    ("sonar-token", "sqp_ squ_ sqa_", _HEX, 40, False),
    ("buildkite-token", "bkua_ bkct_", _AN, 32, False),
    ("circleci-token", "CCIPAT_ CCIPRJ_", "A-Za-z0-9_", 32, True),
    ("clojars-token", "CLOJARS_", _AN, 50, False),
    ("contentful-token", "CFPAT-", _URL, 40, True),
    ("easypost-key", "EZAK EZTK", _AN, 50, False),
    ("onepassword-token", "ops_eyJ", _B64, 60, True),
    ("prefect-key", "pnu_ pnb_", _AN, 32, False),
    ("readme-key", "rdme_", _AN, 60, False),
    ("shippo-token", "shippo_live_ shippo_test_", _HEX, 32, True),
    ("typeform-token", "tfp_", _DOT, 40, False),
    ("launchdarkly-key", "sdk- api-", _HEX + "-", 36, False),
    ("age-key", "AGE-SECRET-KEY-1", _UP, 40, True),
    ("mapbox-token", "sk.eyJ", _DOT, 40, False),
)

BUILTIN_TOKENS: tuple[Token, ...] = tuple(
    compile_token(type, prefix, chars, low, None, glued=glued)
    for type, prefixes, chars, low, glued in _TABLE
    for prefix in prefixes.split()
)

# A JSON Web Token, a Discord bot token, a Mailchimp key: recognised where a long word starts.
_SHAPED = re.compile(
    r"(?P<jwt>eyJ[\w-]{8,8192}\.[\w-]{4,16384}(?:\.[\w-]{0,16384}){1,4})"
    r"|(?P<discord_token>[MNO][A-Za-z0-9_-]{22,30}\.[\w-]{6}\.[\w-]{27,80}(?![\w-]))"
    r"|(?P<mailchimp_key>[0-9a-f]{32}-us\d{1,2}(?![\w-]))",
    re.ASCII,
)
_TELEGRAM = re.compile(r"(?<![A-Za-z0-9_])(?:bot)?\d{7,12}:[A-Za-z0-9_-]{32,64}(?![A-Za-z0-9_-])")
_AZURE = re.compile(r"(?<![\w~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![\w~-])", re.ASCII)
_ATLAS = re.compile(r"(?<![\w.-])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,100}", re.ASCII)
_BY_LENGTH = sorted(BUILTIN_TOKENS, key=lambda token: -len(token.prefix))
_ANY_PREFIX = re.compile(
    "|".join(
        re.escape(first) + "(?:" + "|".join(re.escape(t.prefix[1:]) for t in _BY_LENGTH if t.prefix[0] == first) + ")"
        for first in sorted({token.prefix[0] for token in _BY_LENGTH})
    )
)
"""By first letter, so that most positions are passed over after one step."""
_WITH_PREFIX: dict[str, Token] = {token.prefix: token for token in reversed(_BY_LENGTH)}
_AFTER_ESCAPE = re.compile(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})\Z")
_WORDLIKE = re.compile(r"[a-z_.-]+\Z")


def find_tokens(page: Page) -> Iterator[Finding]:
    for start, end in page.long_words():
        yield from _prefixed(page.text, start, end)
        yield from _shaped(page.text, start)
    yield from _around(page, b"q~", _AZURE, "azure-secret", 4)
    yield from _around(page, b".atlasv1.", _ATLAS, "terraform-token", 14)


def _prefixed(text: str, start: int, end: int) -> Iterator[Finding]:
    at = max(0, start - _PREFIX_REACH)
    while True:
        hit = _ANY_PREFIX.search(text, at, end)
        if hit is None:
            return
        token = _WITH_PREFIX[hit.group()]
        found = token.body.match(text, hit.start()) if token.glued or _stands_free(text, hit.start()) else None
        if found is not None and not _ordinary_words(token, found.group()):
            stop = found.start() + len(found.group().rstrip("."))
            yield Finding(hit.start(), stop, token.type)
            at = max(stop, hit.end())
        else:
            at = hit.start() + 1
        if at >= end:
            return


def _stands_free(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if not (before.isascii() and (before.isalnum() or before in ("_", "-"))) or not before:
        return True
    return _AFTER_ESCAPE.search(text[max(0, at - 6) : at]) is not None


def _ordinary_words(token: Token, value: str) -> bool:
    """``sk-fading-circle-with-dots`` is a class name."""
    return not token.glued and _WORDLIKE.match(value[len(token.prefix) :]) is not None


def _shaped(text: str, start: int) -> Iterator[Finding]:
    escaped = text[max(0, start - 5) : start + 1]
    starts = (start, start + 1) if ("\\" in escaped or "%" in escaped) and _AFTER_ESCAPE.search(escaped) else (start,)
    for at in starts:
        found = _SHAPED.match(text, at)
        if found is not None and found.lastgroup is not None:
            yield Finding(found.start(), found.end(), found.lastgroup.replace("_", "-"))
    if text[start - 1 : start] == ":":
        found = _TELEGRAM.search(text, max(0, start - 18), start + 80)
        if found is not None:
            yield Finding(found.start(), found.end(), "telegram-token")


def _around(page: Page, literal: bytes, shape: re.Pattern[str], type: str, reach: int) -> Iterator[Finding]:
    for at in page.hits(literal):
        found = shape.search(page.text, max(0, at - reach), at + 128)
        if found is not None:
            yield Finding(found.start(), found.end(), type)


def find_team_tokens(page: Page, tokens: tuple[Token, ...]) -> Iterator[Finding]:
    for token in tokens:
        for at in page.hits(token.prefix.lower().encode()):
            found = token.body.match(page.text, at)
            if found is not None:
                yield Finding(at, found.end(), token.type)
