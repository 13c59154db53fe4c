"""What is packed comes out as it went in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stash.search.postings import (
    LENGTHS,
    LOW,
    LOW_BITS,
    MOST_SOURCES,
    MOST_TIMES,
    MOST_UNITS,
    Page,
    key_of,
    length_code,
    pack,
    packed,
    page,
)

POSTINGS = st.builds(
    pack,
    st.builds(key_of, st.integers(1, MOST_SOURCES - 1), st.integers(0, MOST_UNITS - 1)),
    st.integers(1, 500),
    st.integers(0, 255),
)
SORTED = st.lists(POSTINGS, min_size=1, max_size=120, unique=True).map(sorted)
LISTS = st.dictionaries(st.integers(0, 2**64 - 1), SORTED, max_size=20)


@given(LISTS)
def test_a_page_gives_back_its_lists(lists):
    blob = page((term, len(lists[term]), packed(lists[term])) for term in sorted(lists))
    read = Page.of(blob)
    for term, postings in lists.items():
        at = read.find(term)
        assert at is not None
        assert list(read.newest(at, len(postings))) == postings
    assert all(read.find(term ^ 1) is None for term in lists if term ^ 1 not in lists)


def test_of_a_long_list_the_newest_are_read():
    postings = [pack(key_of(1 + n // 100, n % 100), 1, 50) for n in range(50_000)]
    read = Page.of(page([(7, len(postings), packed(postings))]))
    newest = list(read.newest(0, 3_000))
    assert newest == postings[-len(newest) :]
    assert 3_000 <= len(newest) <= 3_000 + 4096


@given(st.integers(0, 2**44 - 1), st.integers(1, 10_000), st.integers(0, 255))
def test_a_posting_holds_key_times_and_length(key, times, length):
    posting = pack(key, times, length)
    assert posting < 2**63
    assert (posting >> LOW_BITS, (posting & LOW) >> 8, posting & 255) == (key, min(times, MOST_TIMES), length)


@given(st.integers(0, 6_000))
def test_lengths_are_kept_within_a_few_percent(words):
    assert abs(LENGTHS[length_code(words)] - words) <= 1 + 0.03 * words
