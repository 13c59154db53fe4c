"""Briefings that come back are known by their fence."""

from __future__ import annotations

import pytest

from stash_client.events import Prompt, Reply, ToolCall
from stash_client.fence import CLOSE, FIRST_WORDS, MARK, OPEN, without_briefings
from stash_client.harnesses.machine_text import machine_name
from stash_client.privacy import scrub

BRIEFING = (
    f"{OPEN}\n{FIRST_WORDS}, the team's memory.\n\n# Recent sessions\n- Ravi: \u201cRotate the keys\u201d\n{CLOSE}\n"
)


@pytest.mark.parametrize(
    "text, left",
    [
        (BRIEFING, f"{MARK}\n"),
        (f"before {BRIEFING}after", f"before {MARK}\nafter"),
        (BRIEFING + BRIEFING, f"{MARK}\n{MARK}\n"),
        (f"cut off: {BRIEFING[:-40]}", f"cut off: {MARK}"),
        (BRIEFING.replace("\n", "\\n"), f"{MARK}\\n"),
        (f"{OPEN} is what the fence looks like", f"{OPEN} is what the fence looks like"),
        (f"an end alone: {CLOSE}", f"an end alone: {CLOSE}"),
        ("nothing", "nothing"),
    ],
)
def test_only_what_is_inside_a_briefing_goes(text, left):
    assert without_briefings(text) == left
    assert without_briefings(left) == left


@pytest.mark.parametrize(
    "event",
    [Prompt(text=BRIEFING), Reply(text=f"I was told: {BRIEFING}"), ToolCall(output=f"$ cat memory\n{BRIEFING}")],
)
def test_no_kind_of_event_carries_one_past_the_boundary(event):
    assert "Ravi" not in str(scrub(event).value)


def test_a_record_that_is_a_briefing_was_typed_by_nobody():
    assert machine_name(BRIEFING) == "briefing"


def test_a_thousand_openings_cost_no_more_than_their_length():
    text = f"{OPEN}\n{FIRST_WORDS} " * 50_000
    assert without_briefings(text) == MARK
