"""``stash history search`` against the real API and a real index."""

from __future__ import annotations

import pytest

from stash.recall.indexer import Indexer
from tests.client.sessions import capture

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def indexed(dana) -> str:
    session = capture(dana, "s-1")
    Indexer().run_out()
    return session


def test_history_is_told_by_person_with_the_way_to_read_more(signed_in, indexed):
    done = signed_in.run("history", "search", "what", "did", "dana", "conclude", "about", "totals?")
    assert (done.code, done.err) == (0, "")
    assert "Dana (@dana): 20" in done.out
    assert "1 session" in done.out
    assert "Concluded #" in done.out
    assert "/projects/shop/sessions/20" in done.out


def test_history_as_json_and_of_what_nobody_did(signed_in, indexed):
    done = signed_in.run("--json", "history", "search", "totals")
    assert [one["session"] for one in done.json["people"][0]["sessions"]] == [indexed]
    nothing = signed_in.run("history", "search", "zeppelin")
    assert (nothing.code, bool(nothing.out.strip()), nothing.err) == (4, True, "")


def test_history_without_a_question_is_a_wrong_use(signed_in):
    assert signed_in.run("history").code == signed_in.run("history", "search").code == 2
