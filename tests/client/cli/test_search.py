"""``stash search`` against the real API and a real index."""

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


def test_search_names_who_when_and_where_and_links_to_the_event(signed_in, indexed):
    done = signed_in.run("search", "totals")
    assert (done.code, done.err) == (0, "")
    assert f"{indexed[-8:]} · 20" in done.out
    assert "dana · claude-code · shop" in done.out
    assert f"/t/harbour/sessions/{indexed}/?at=" in done.out


def test_search_as_json_is_the_answer_of_the_server(signed_in, indexed):
    page = signed_in.run("--json", "search", "totals", "by:me").json
    assert [result["session"] for result in page["results"]] == [indexed]
    assert signed_in.run("--json", "search", "--events", "totals").json["results"][0]["kind"] == "event"


def test_nothing_found_is_said(signed_in, indexed):
    done = signed_in.run("search", "zeppelin")
    assert (done.code, bool(done.out.strip()), done.err) == (0, True, "")


def test_a_filter_that_is_not_understood_is_told(signed_in, indexed):
    assert "since:whenever" in signed_in.run("search", "totals", "since:whenever").out


def test_words_the_shell_kept_together_are_looked_for_together(signed_in, indexed):
    assert signed_in.run("--json", "search", "totals zeppelin").json["results"] == []


def test_no_words_is_a_wrong_use(signed_in):
    done = signed_in.run("search")
    assert (done.code, "stash search" in done.err) == (2, True)
