"""Several servers at once: threads with connections of their own, on whatever engine the tests run."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest
from django.db import IntegrityError, connection

from accounts.models import Project
from sessions_app.models import Event, Session
from sessions_app.services import editing, effects
from sessions_app.services.ingest import sweep_silence
from tests.conftest import connect
from tests.sessions_app.test_recount import recount
from tests.sessions_app.wire import body, edit, event, prompt, shell

pytestmark = pytest.mark.django_db(transaction=True)


def together(*acts) -> list:
    """Run all at once; their results. What one raises is raised."""
    gate, results = threading.Barrier(len(acts)), [None] * len(acts)

    def run(place: int) -> None:
        try:
            gate.wait(20)
            results[place] = acts[place]()
        except Exception as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def sending(person, payload):
    """Send until the server has an answer other than "later", as clients do."""

    def act():
        client = person.api
        client.raise_request_exception = False
        for _ in range(20):
            answer = client.post("/api/v1/events", payload, format="json")
            assert answer.status_code in (200, 503), answer.content
            if answer.status_code == 200:
                return answer.json()
        raise AssertionError("never accepted")

    return act


def test_first_batches_of_one_session_at_once(dana, shop):
    batches = [[prompt(f"p{n}", at=n), edit(f"f{n}.py", at=n + 0.5)] for n in range(6)]
    said = together(*(sending(dana, body(*batch)) for batch in [*batches, *batches[:2]]))
    session = Session.objects.get()
    assert sum(one["accepted"] for one in said) == 12 == session.events
    assert sum(one["duplicates"] for one in said) == 4
    stored = Event.objects.order_by("number")
    assert [one.number for one in stored] == [one.seq for one in stored] == list(range(1, 13))
    assert recount(session).trace == session.trace


@pytest.mark.parametrize("turn", range(3))
def test_parent_and_child_at_once_in_any_order(dana, shop, turn):
    parent = body(prompt("go"), event("subagent", agent_id="a1"))
    child = body(shell("ls"), native_id="s-1/a1", parent_native_id="s-1")
    other = body(shell("pwd"), native_id="s-1/a1", parent_native_id="s-1")
    acts = [sending(dana, parent), sending(dana, child), sending(dana, other)]
    random.Random(turn).shuffle(acts)
    together(*acts)
    top, below = Session.objects.get(native_id="s-1"), Session.objects.get(native_id="s-1/a1")
    assert (below.parent_id, below.project_id, below.visibility) == (top.pk, shop.pk, top.visibility)
    assert (top.events, below.events) == (2, 2)
    assert Event.objects.get(kind="subagent").body["child"] == str(below.pk)


def test_new_project_by_several_sessions_at_once(dana, shop):
    connect(dana, None)
    together(*(sending(dana, body(prompt("go"), native_id=f"s-{n}", project="till")) for n in range(4)))
    assert Session.objects.filter(project__slug="till").count() == 4


@pytest.mark.parametrize("turn", range(4))
def test_deleting_while_parent_and_child_grow(dana, shop, turn):
    sending(dana, body(prompt("go"), event("subagent", agent_id="a1")))()
    sending(dana, body(shell("ls"), native_id="s-1/a1"))()
    session = Session.objects.get(native_id="s-1")
    together(
        lambda: editing.delete_session(actor=dana.actor, session=session),
        sending(dana, body(*(shell(f"c{n}") for n in range(20)), native_id="s-1/a1", parent_native_id="s-1")),
        sending(dana, body(prompt("more"))),
    )
    assert not Session.objects.filter(pk=session.pk).exists()
    assert not Event.objects.filter(session__isnull=True).exists()


def test_a_project_that_goes_while_sessions_open(dana, shop):
    connect(dana, None)
    acts = [sending(dana, body(prompt("go"), native_id=f"s-{n}")) for n in range(4)]
    together(lambda: delete_for_good(shop), *acts)
    assert not Session.objects.filter(project_id=shop.pk).exists()
    assert Event.objects.count() == Session.objects.count()


def delete_for_good(project) -> None:
    """PostgreSQL refuses while a session is being added to it; whoever deletes asks again."""
    for _ in range(20):
        try:
            Project.objects.filter(pk=project.pk).delete()
        except IntegrityError:
            continue
        return
    raise AssertionError("the project could not be deleted")


@pytest.mark.parametrize("turn", range(3))
def test_visibility_changed_while_a_family_grows(dana, shop, turn):
    sending(dana, body(prompt("go")))()
    session = Session.objects.get()
    together(
        lambda: editing.set_visibility(actor=dana.actor, session=session, visibility="private"),
        sending(dana, body(event("subagent", agent_id="a1"))),
        sending(dana, body(shell("ls"), native_id="s-1/a2", parent_native_id="s-1")),
    )
    assert Counter(Session.objects.values_list("visibility", flat=True)) == {"private": 3}


def test_a_sweep_never_ends_what_goes_on(dana, shop):
    sending(dana, body(prompt("go")))()
    session = Session.objects.get()
    late = session.last_event_at + effects.ENDED_AFTER
    together(sending(dana, body(shell("ls", at=5))), lambda: sweep_silence(now=late), lambda: sweep_silence(now=late))
    session.refresh_from_db()
    assert (session.events, session.tool_calls) == (2, 1)


def test_hook_and_transcript_of_one_story_at_once(dana, shop):
    story = [prompt("go", at=1), shell("ls", call_id="c1", at=2), shell("pwd", call_id="c2", at=3), prompt("go", at=4)]
    told = [{**one, "uid": f"t{n}"} for n, one in enumerate(story)]
    said = together(
        sending(dana, body(*story)), sending(dana, {**body(*told), "origin": "transcript"}), sending(dana, body(*story))
    )
    assert sum(one["accepted"] for one in said) == 4 == Event.objects.count()
    assert set(Event.objects.values_list("origins", flat=True)) <= {"ht", "th"}


@pytest.mark.parametrize("turn", range(3))
def test_what_is_deleted_while_it_is_told_again_stays_away(dana, shop, turn):
    """Whichever comes first: a delivery that was waiting for the session finds that it was taken back."""
    batches = [body(*(prompt(f"p{n}-{m}", at=n) for m in range(5))) for n in range(4)]
    for batch in batches:
        sending(dana, batch)()
    session = Session.objects.get()
    acts = [sending(dana, batch) for batch in batches]
    acts.insert(turn, lambda: editing.forget(actor=dana.actor, session=session))
    together(*acts)
    assert not Session.objects.exists()
    assert not Event.objects.exists()
    assert [sending(dana, batch)()["session"] for batch in batches] == [None] * 4


def test_part_is_forgotten_while_it_is_told_again(dana, shop):
    first, second = [prompt("keep", at=0)], [prompt(f"slip {n}", at=60 + n) for n in range(5)]
    sending(dana, body(*first, *second))()
    session = Session.objects.get()
    since = session.event_set.get(number=2).occurred_at
    again = [sending(dana, body(*second)) for _ in range(3)]
    together(lambda: editing.forget(actor=dana.actor, session=session, since=since), *again)
    session.refresh_from_db()
    assert list(Event.objects.values_list("text", flat=True)) == ["keep"]
    assert session.prompts == 1
