"""Words of the index, the same for every database."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash.search.tokens import MOST_TOKENS, query_tokens, spans, tokens

WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12)


@pytest.mark.parametrize(
    "text, words",
    [
        ("getUserName", ["getusernam", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("--no-verify", ["verifi", "noverifi"]),
        ("src/main.py", ["src", "main", "py", "srcmainpi"]),
        ("parser::lex", ["parser", "lex", "parserlex"]),
        ("C++ C# F# <=>", ["cplusplu", "csharp", "fsharp", "spaceshipop"]),
        ("R&D", ["r", "d", "rd"]),
        ("done_flag", ["done", "flag", "doneflag"]),
        ("08ab3f21", ["08ab3f21"]),
        ("running runs", ["run", "run"]),
        ("請求書", ["請求", "求書"]),
        ("書", ["書"]),
        ("周二order后", ["周二", "order", "后"]),
        ("ｶﾒﾗ", ["カメ", "メラ"]),
        ("Straße", ["strass"]),
        ("the of and", []),
        ("😀 * %", []),
    ],
)
def test_words_of(text, words):
    assert tokens(text) == words


@given(st.text(max_size=300))
def test_any_text_has_words_or_none(text):
    found = tokens(text)
    assert len(found) <= MOST_TOKENS
    assert all(word and not word.isspace() for word in found)
    assert set(query_tokens(text)) <= set(found)


@given(st.text(max_size=80))
def test_width_and_composition_do_not_matter(text):
    assert tokens(unicodedata.normalize("NFKC", text)) == tokens(text)


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_what_stands_in_a_text_is_found_by_the_same_words(words):
    text = " ".join(words)
    for word in words:
        assert set(tokens(word)) <= set(tokens(text))


@given(st.text(max_size=200))
def test_spans_lie_in_the_text_in_order(text):
    last = 0
    for start, end, _ in spans(text):
        assert 0 <= start < end <= len(text)
        assert start >= last
        last = start


def test_a_huge_text_costs_no_more_than_its_beginning():
    assert len(tokens("word1 word2 " * 1_000_000)) == MOST_TOKENS
    assert tokens("a" * 5_000_000) == ["a" * 60]
