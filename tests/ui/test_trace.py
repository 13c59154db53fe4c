import pytest

from stash.ui import trace


def test_row_trace_draws_one_bar_per_event_with_geometry_attributes_only():
    assert trace.row_trace("pf", step=4, width=8, height=20) == (
        '<svg class="trace" width="8" height="20" viewBox="0 0 8 20" aria-hidden="true">'
        '<rect class="t-line" y="13" width="8" height="1"/>'
        '<path class="t-p" d="M0 0h2.4v13h-2.4z"/><path class="t-f" d="M4 14h2.4v6h-2.4z"/></svg>'
    )


def test_row_trace_keeps_the_last_events_that_fit():
    assert 't-p"' not in trace.row_trace("p" + "t" * 32)
    assert 't-p"' in trace.row_trace("p" + "t" * 31)


def test_failure_hangs_below_the_line_and_waiting_stands_on_it():
    svg = trace.row_trace("fw", step=4, width=8, height=20)
    assert 'class="t-f" d="M0 14h' in svg
    assert 'class="t-w" d="M5 5l4 4-4 4-4-4z"' in svg


@pytest.mark.parametrize("hostile", ['"><script>alert(1)</script>', "p\"e'<>&", "é\u202e\x00", None, 12])
def test_hostile_letters_become_plain_bars(hostile):
    for svg in (trace.row_trace(hostile), trace.header_trace(hostile)):
        assert "script" not in svg
        assert "\x00" not in svg
        assert svg.count("<svg") - svg.count('<svg x="') == 1


def test_summary_is_escaped():
    assert 'aria-label="&lt;b&gt; &quot;x&quot;"' in trace.header_trace("p", '<b> "x"')


def test_header_trace_of_a_short_session_keeps_the_bar_width_of_a_long_one():
    assert 'width="0.43%"' in trace.header_trace("p")
    assert 'width="0.43%"' in trace.header_trace("p" * 140)


def test_failure_wins_its_bucket():
    letters = trace.bucketed("ttft" * 280)
    assert len(letters) == trace.BUCKETS
    assert set(letters) == {"f"}


def test_every_bucket_order_is_kept():
    assert trace.bucketed("p" * 300 + "e" * 300, 6) == "pppeee"


@pytest.mark.parametrize(
    "letters, words",
    [
        ("", "0 events"),
        ("p", "1 event: 1 prompt"),
        ("pprtefffcw", "10 events: 2 prompts, 1 edit, 3 failures, 1 compaction, waiting"),
    ],
)
def test_trace_in_words(letters, words):
    assert trace.in_words(letters) == words
