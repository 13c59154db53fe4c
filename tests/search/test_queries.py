"""Everything typed is a question."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash.search.dates import Named, days_in, leaning, moment
from stash.search.passages import passage
from stash.search.queries import Question, understand
from stash.search.tokens import query_tokens
from stash.search.vocabulary import distance

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def day(year: int, month: int, of_month: int) -> datetime:
    return datetime(year, month, of_month, tzinfo=UTC)


@pytest.mark.parametrize(
    "typed, question",
    [
        ("lock timeout", Question("lock timeout")),
        ('say "exactly this" now', Question("say exactly this now", ("exactly this",))),
        ('a -b -"c d"', Question("a", (), ("b", "c d"))),
        ("-foo", Question("foo")),
        ("--no-verify -20417", Question("--no-verify -20417")),
        ('by:dana project:"the shop" kind:', Question("kind:", filters={"by": "dana", "project": "the shop"})),
        ("BY:dana title:x a:b", Question("title:x a:b", filters={"by": "dana"})),
        ('"open', Question("open")),
        ("", Question()),
    ],
)
def test_a_question_is_understood(typed, question):
    assert understand(typed) == question


@given(st.text(max_size=200))
def test_any_text_is_a_question(typed):
    question = understand(typed)
    assert all([*question.phrases, *question.without, *question.filters.values()])


@pytest.mark.parametrize(
    "said, start, end",
    [
        ("yesterday", day(2026, 11, 29), day(2026, 11, 30)),
        ("today", day(2026, 11, 30), day(2026, 12, 1)),
        ("last week", day(2026, 11, 23), day(2026, 11, 30)),
        ("last-week", day(2026, 11, 23), day(2026, 11, 30)),
        ("this month", day(2026, 11, 1), day(2026, 12, 1)),
        ("monday", day(2026, 11, 30), day(2026, 12, 1)),
        ("last friday", day(2026, 11, 27), day(2026, 11, 28)),
        ("2026-11-03", day(2026, 11, 3), day(2026, 11, 4)),
        ("2026-11", day(2026, 11, 1), day(2026, 12, 1)),
        ("2025", day(2025, 1, 1), day(2026, 1, 1)),
        ("3 May 2025", day(2025, 5, 3), day(2025, 5, 4)),
        ("may", day(2026, 5, 1), day(2026, 6, 1)),
        ("7d", datetime(2026, 11, 23, 12, tzinfo=UTC), datetime(2026, 11, 23, 12, tzinfo=UTC)),
        ("2 weeks ago", datetime(2026, 11, 16, 12, tzinfo=UTC), datetime(2026, 11, 16, 12, tzinfo=UTC)),
        ("31 February 2026", None, None),
        ("9999y", None, None),
        ("whenever", None, None),
    ],
)
def test_times_in_plain_words(said, start, end):
    assert (moment(said, NOW), moment(said, NOW, end=True)) == (start, end)


@given(st.text(max_size=30) | st.text("0123456789-:T dwmy", max_size=30))
def test_any_time_is_one_or_none(said):
    assert moment(said, NOW) is None or moment(said, NOW).tzinfo is not None
    leaning(days_in(said, NOW.date()), NOW.date())


@pytest.mark.parametrize(
    "text, named",
    [
        ("what happened on 5 May 2023?", Named(5, 5, 2023)),
        ("on May 5th, 2023", Named(5, 5, 2023)),
        ("the plan of March 3", Named(3, 3, None)),
        ("in August", Named(None, 8, None)),
        ("since 2022", Named(None, None, 2022)),
    ],
)
def test_days_named_in_a_question(text, named):
    assert days_in(text, NOW.date()).named == (named,)


@pytest.mark.parametrize("text", ["may I", "they march on", "version 10.3", "at 12 o'clock"])
def test_no_day_where_none_is_named(text):
    assert not days_in(text, NOW.date())


def test_leaning_grows_with_nearness():
    when = days_in("on 5 May 2023", NOW.date())
    fits = [leaning(when, date(2023, 5, n)) for n in (5, 7, 12, 28)]
    assert fits == [1.0, 0.8, 0.6, 0.3]
    assert leaning(when, date(2024, 5, 5)) == 0.0


def test_the_passage_is_where_the_words_are():
    text = "nothing here. " * 60 + "then the <b>lock</b> timed out & failed. " + "more of nothing. " * 60
    found = passage(text, query_tokens("lock failed"))
    assert "<mark>lock</mark>" in found.html
    assert "<mark>failed</mark>" in found.html
    assert "&lt;b&gt;" in found.html
    assert len(found.text) < 250
    assert found.words == {"lock", "fail"}


@given(st.text(max_size=300), st.text(max_size=20))
def test_a_passage_is_a_part_of_the_text(text, typed):
    found = passage(text, query_tokens(typed))
    assert found.text.removeprefix("…").removesuffix("…") in text or found.text in text
    assert "<script" not in found.html


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_distance_is_symmetric(one, other):
    assert distance(one, other, 9) == distance(other, one, 9)
    assert (distance(one, other, 9) == 0) == (one == other)
    assert (distance(one, other, 2) <= 2) == (distance(one, other, 9) <= 2)
