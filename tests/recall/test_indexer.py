"""The index follows what happens: new, completed, deleted and older than itself."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection

from sessions_app.models import Event, Session
from sessions_app.services import editing
from stash.recall.indexer import BATCH, Indexer
from stash.recall.locks import only_one
from stash.search import segments
from stash.search.models import Page, Segment, Source, Waiting
from stash.search.postings import MOST_PAGE_BITS
from stash.search.reading import Reader, Term
from stash.search.selectors import backlog
from tests.recall.test_search import found, indexed, told
from tests.sessions_app.factories import add_events, make_event, make_session
from tests.sessions_app.wire import event, prompt

pytestmark = pytest.mark.django_db


def units_with(word: str) -> int:
    term = Term(word)
    Reader().read([term])
    return len(term.where)


def test_a_batch_waits_until_it_is_indexed(dana, shop):
    told(dana, prompt("first"))
    assert backlog().waiting == 1
    indexed()
    assert (backlog().waiting, backlog().oldest_seconds) == (0, 0.0)
    told(dana, prompt("second thing"))
    indexed()
    assert found(dana, "second") == ["first"]


def test_a_completed_event_counts_once_with_all_its_words(dana, shop):
    call = {"name": "Bash", "family": "shell", "input": {"command": "make porcupine"}, "call_id": "c1"}
    told(dana, prompt("build"), event("tool_call", **call))
    indexed()
    told(dana, event("tool_call", **call, output="undefined symbol", ok=False))
    indexed()
    assert Event.objects.filter(kind="tool_call").count() == 1
    assert found(dana, "porcupine symbol") == ["build"]
    assert (units_with("symbol"), units_with("porcupin")) == (1, 1)
    assert bytes(Segment.objects.order_by("rank").last().again)


def test_what_was_there_before_the_index_is_found_newest_first_and_after_what_is_new(dana, shop):
    for n in range(60):
        add_events(make_session(dana, shop, title=f"old {n}"), make_event("prompt", n, text="badger"))
    told(dana, prompt("new badger"))
    indexer = Indexer()
    indexer.work()
    assert found(dana, "badger") == ["new badger"]
    indexer.work()
    assert len(found(dana, "badger", limit=100)) == 50  # the new one is among the newest fifty
    assert "old 0" not in found(dana, "badger", limit=100)
    indexer.run_out()
    assert len(found(dana, "badger", limit=100)) == 61


def test_a_session_longer_than_a_batch_is_indexed_whole(dana, shop):
    session = make_session(dana, shop, title="long")
    add_events(session, *(make_event("prompt", n, text=f"step otter {n}") for n in range(BATCH * 2 + 3)))
    indexed()
    assert units_with("otter") == BATCH * 2 + 3


def test_deleted_words_leave_the_tables_when_segments_are_merged(dana, shop):
    session = told(dana, prompt("pelican"))
    told(dana, prompt("pelican stays"), native_id="s2")
    indexed()
    editing.delete_session(actor=dana.actor, session=session)
    indexer = Indexer()
    indexer.run_out()
    assert Source.objects.get(ref=session.pk).gone
    indexer._merge(segments.live_segments(), is_whole=True)
    assert units_with("pelican") == 1
    assert not Source.objects.filter(ref=session.pk).exists()
    assert found(dana, "pelican") == ["pelican stays"]


def test_merging_changes_no_answer(dana, shop):
    indexer = Indexer()
    for n in range(segments.FAN * 2):
        told(dana, prompt(f"crane number{n}"), prompt("crane again"), native_id=f"s{n}")
        indexer.work()
    assert len(segments.live_segments()) < segments.FAN
    assert units_with("crane") == segments.FAN * 4
    for n in range(segments.FAN * 2):
        assert units_with(f"number{n}") == 1


def test_an_interrupted_merge_leaves_nothing_behind(dana, shop):
    told(dana, prompt("stork"))
    indexed()
    left = Segment.objects.create(rank=0, page_bits=0, units=1, words=1, postings=1)
    Page.objects.create(id=segments.page_id(left.pk, 0), data=b"x")
    Page.objects.create(id=segments.page_id(left.pk + 7, 3), data=b"x")
    Indexer()
    assert {page.pk >> MOST_PAGE_BITS for page in Page.objects.all()} == {Segment.objects.get().pk}
    assert found(dana, "stork") == ["stork"]


def test_only_one_indexes(dana, transactional_db):
    with only_one() as first:
        assert first
        if connection.vendor == "sqlite":  # a connection of PostgreSQL may take its own lock again
            with only_one() as second:
                assert not second
    with only_one() as again:
        assert again


def test_the_command_indexes_once_and_rebuilds(dana, shop, transactional_db):
    told(dana, prompt("a lonely puffin"))
    call_command("index", once=True)
    assert found(dana, "puffin") == ["a lonely puffin"]
    number = Source.objects.get().pk
    call_command("index", once=True, rebuild=True)
    assert found(dana, "puffin") == ["a lonely puffin"]
    assert Source.objects.get().pk != number
    assert not Waiting.objects.exists()


def test_readiness_tells_of_the_backlog(client, dana, shop):
    told(dana, prompt("anything"))
    facts = client.get("/readyz").json()["checks"]["search"]
    assert (facts["ok"], facts["waiting"]) == (True, 1)
    assert facts["oldest_seconds"] >= 0


def test_a_session_of_other_kinds_of_events_is_no_trouble(dana, shop):
    told(dana, event("turn_end", reason="completed"), event("session_end"))
    indexed()
    assert Session.objects.count() == 1
    assert not Waiting.objects.exists()


def test_an_event_that_cannot_be_read_holds_up_nothing(dana, shop, client):
    """Such as one that another version stored in another form."""
    told(dana, prompt("before"), event("tool_call", name="Bash", family="shell", input={"command": "x"}, call_id="c1"))
    Event.objects.filter(kind="tool_call").update(body={"paths": 5})
    told(dana, prompt("after the odd one"))
    indexed()
    assert backlog().unreadable == 1
    assert found(dana, "odd") == ["before"]
    assert client.get("/readyz").json()["checks"]["search"]["unreadable"] == 1
