from __future__ import annotations

import pytest

from stash_client.cli.output import Output
from stash_client.history.progress import Progress, clock, size


def test_the_line_says_how_far_how_fast_and_how_long():
    progress = Progress(Output(), total=100_000_000, files=8)
    progress.read, progress.done = 25_000_000, 2
    assert progress.line(5.0) == "[######..................]  25%  2 of 8 files  5.0 MB/s  15 s left"


def test_files_that_grew_meanwhile_never_show_more_than_all():
    progress = Progress(Output(), total=10, files=1)
    progress.read = 30
    assert progress.line(1.0).startswith(f"[{'#' * 24}] 100%")


@pytest.mark.parametrize(
    "count, words", [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (25e6, "25 MB"), (1.25e9, "1.2 GB")]
)
def test_sizes_are_for_people(count, words):
    assert size(count) == words


@pytest.mark.parametrize("seconds, words", [(-1, "0 s"), (59, "59 s"), (100, "2 min"), (7500, "2 h 5 min")])
def test_times_are_for_people(seconds, words):
    assert clock(seconds) == words
