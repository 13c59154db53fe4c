"""What holds for any text."""

import re
import re._parser as parser
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stash_client.privacy as privacy
from stash_client.privacy import EVENT_TEXT_LIMIT, scrub, snippet, truncate

PIECES = st.sampled_from(
    [
        "password=",
        "token:",
        '"secret":',
        "key='",
        "Authorization:",
        "Bearer",
        "Basic",
        "Cookie:",
        "a=b;",
        "://",
        "user:pw@",
        "@host.test",
        "<private>",
        "</private>\n",
        "",
        "",
        "",
        "&lt;private&gt;",
        "sk-",
        "ghp_",
        "-----BEGIN",
        "PRIVATE",
        "KEY-----",
        "-----END",
        "eyJhbGciOi.",
        "-p",
        "-u",
        "curl",
        "mysql",
        "--password",
        "[redacted:key]\n",
        "",
        "",
        "",
        "[redacted:",
        "$VAR",
        "${",
        "{{",
        '"',
        "'",
        '\\"',
        "\\n",
        "\\",
        "=",
        ":",
        ";",
        ",",
        "?",
        "&",
        "%",
        "<",
        ">",
        "(",
        ")",
        "API_KEY",
        "DB_PASSWORD=",
        "is",
        "was",
        "0a1b2c3d4e5f6g7h8i9j",
        "hunter2",
        "value\n",
        "",
        "",
        "",
        "[image",
        "data:image/png;base64,iVBORw0KGgo=",
        "/home/dana",
        "/Users/x",
        "C:\\Users\\x",
        "\x1b[1m",
        "\x1b]",
        "\r",
        "\x08",
        "\u200b",
        "�",
        "é",
        "鍵",
        "😀",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(st.one_of(PIECES, st.text(max_size=6), st.just(" "), st.just("\n"))).map("".join)
)
SURROGATES = st.text(st.characters(exclude_categories=()), max_size=100)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.one_of(PIECES, st.text(max_size=8)), inner)),
    max_leaves=8,
)


@settings(max_examples=500, deadline=None)
@given(VALUES)
def test_scrub_twice_changes_and_counts_nothing_more(value):
    once = scrub(value)
    twice = scrub(once.value)
    assert twice.value == once.value
    assert dict(twice.redactions) == {}


@settings(max_examples=300, deadline=None)
@given(SURROGATES)
def test_scrub_makes_any_text_storable(text):
    clean = scrub(text).value
    clean.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]", clean)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.from_regex(r"ghp_[A-Za-z0-9]{36}", fullmatch=True), TEXTS)
def test_a_planted_secret_never_survives(before, secret, after):
    assert secret[4:] not in scrub(f"{before} {secret} {after}").value


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.from_regex(r"zq[a-z]{6}[0-9]{4}", fullmatch=True), TEXTS)
def test_a_named_secret_never_survives(before, secret, after):
    assert secret not in scrub(f"{before}\nDB_PASSWORD={secret}\n{after}").value


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 400))
def test_truncate_keeps_whole_characters_and_is_done_once(text, limit):
    cut, gone = truncate(text, limit)
    assert len(cut.encode()) <= max(limit, 0)
    assert truncate(cut, limit) == (cut, 0)
    assert (gone == 0) == (cut == text)


def test_truncate_says_how_much_went_between_head_and_tail():
    text = "\n".join(f"line {number}" for number in range(100_000))
    cut, gone = truncate(text, EVENT_TEXT_LIMIT)
    assert cut.startswith("line 0\n")
    assert cut.endswith("line 99999")
    assert f"[… {gone} bytes left out …]" in cut


def test_scrub_searches_before_it_cuts():
    secret = "ghp_" + "a1" * 18
    for shift in range(0, 60, 7):
        text = "x" * (EVENT_TEXT_LIMIT * 3 // 5 - shift) + " " + secret + " " + "y" * EVENT_TEXT_LIMIT
        clean = scrub(text)
        assert "a1a1a1" not in clean.value
        assert clean.redactions == {"github-token": 1}
        assert scrub(clean.value).value == clean.value


@given(st.text(), st.integers(0, 100))
def test_snippet_is_one_short_line(text, length):
    line = snippet(text, length)
    assert len(line) <= length
    assert line == " ".join(line.split())


MODULES = [
    f"stash_client.privacy.{path.stem}"
    for path in Path(privacy.__file__).parent.glob("*.py")
    if path.stem != "__init__"
]


def expressions(value):
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from expressions(item)
    elif hasattr(value, "body"):
        yield from expressions(value.body)


def nested_without_bound(parsed, inside=False):
    """A repetition without an upper bound around any other repetition: the form that takes exponential time."""
    for op, argument in parsed:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _low, high, body = argument
            if inside and high != 1:
                return True
            if nested_without_bound(body, inside or high == parser.MAXREPEAT):
                return True
        elif isinstance(argument, (tuple, list)):
            for part in argument:
                parts = part if isinstance(part, list) else [part]
                if any(isinstance(p, parser.SubPattern) and nested_without_bound(p, inside) for p in parts):
                    return True
    return False


@pytest.mark.parametrize("module", MODULES)
def test_no_expression_repeats_a_repetition_without_bound(module):
    found = [p for value in vars(import_module(module)).values() for p in expressions(value)]
    assert [p.pattern for p in found if nested_without_bound(parser.parse(p.pattern, p.flags))] == []


@pytest.mark.parametrize(
    "unit",
    [
        "password=",
        "a;password=b;",
        "://a:b@",
        "eyJ",
        "?sig=",
        "<private ",
        "\x1b]",
        "a\x08",
        '\\"',
        "token ",
        "sk-a1",
        " -p",
        "${",
    ],
)
def test_scrub_bears_a_long_run_of_anything(unit):
    assert isinstance(scrub(unit * (200_000 // len(unit))).value, str)
