"""What was taken back stays away, however late, often and in whatever form it is told again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from sessions_app.models import Event, Forgotten, ForgottenDelivery, Session
from stash.audit.models import AuditEntry
from tests.conftest import make_person
from tests.sessions_app.wire import body

pytestmark = pytest.mark.django_db


def happened(kind: str, minutes_ago: float, **fields) -> dict:
    at = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    return {"uid": str(uuid4()), "n": int(at.timestamp() * 1e9), "kind": kind, "occurred_at": at.isoformat(), **fields}


def said(text: str, minutes_ago: float, **fields) -> dict:
    return happened("prompt", minutes_ago, text=text, **fields)


def post(person, *events, origin: str = "hook", sent_at: str | None = None, **session) -> dict:
    sent = {**body(*events, **session), "origin": origin, "sent_at": sent_at}
    answer = person.api.post("/api/v1/events", sent, format="json")
    assert answer.status_code == 200, answer.content
    told = answer.json()
    counted = told["accepted"] + told["completed"] + told["duplicates"] + len(told["rejected"])
    assert counted == len(events)
    return told


def forget(person, session_id: str, minutes_ago: float | None = None):
    since = {} if minutes_ago is None else {"since": datetime.now(UTC) - timedelta(minutes=minutes_ago)}
    return person.api.post(f"/api/v1/sessions/{session_id}/forget", since, format="json")


def texts() -> list[str]:
    return list(Event.objects.order_by("session", "number").values_list("text", flat=True))


# Hours lie between what stays and what goes: these times are from when the tests were collected.
STORY = [said("keep", 600), happened("reply", 599, text="kept"), said("slip", 5), happened("reply", 4, text="slipped")]


def test_the_same_deliveries_do_not_bring_a_part_back(dana, shop):
    session = post(dana, *STORY)["session"]
    assert forget(dana, session, 300).json() == {"forgotten": 2}
    again = post(dana, *STORY)
    assert (again["accepted"], again["duplicates"]) == (0, 4)
    assert texts() == ["keep", "kept"]
    assert Session.objects.get().prompts == 1


def test_neither_does_an_import_that_tells_the_same_under_other_ids(dana, shop):
    session = post(dana, *STORY)["session"]
    forget(dana, session, 300)
    post(dana, *({**one, "uid": str(uuid4())} for one in STORY), origin="transcript")
    assert texts() == ["keep", "kept"]


def test_nor_what_was_still_on_its_way(dana, shop):
    session = post(dana, *STORY[:2])["session"]
    assert forget(dana, session, 300).json() == {"forgotten": 0}
    post(dana, *STORY)
    assert texts() == ["keep", "kept"]


def test_a_delivery_whose_time_is_told_differently_is_known_by_its_id(dana, shop):
    timeless = {**STORY[2], "occurred_at": ""}
    session = post(dana, STORY[0], timeless)["session"]
    forget(dana, session, 300)
    post(dana, timeless)
    assert texts() == ["keep"]


def test_a_session_of_which_nothing_is_left_does_not_run(dana, shop):
    session = post(dana, said("slip", 5))["session"]
    assert forget(dana, session, 300).json() == {"forgotten": 1}
    assert (Session.objects.get().status, Session.objects.get().title) == ("idle", "")


def test_what_happens_afterwards_is_captured(dana, shop):
    session = post(dana, *STORY)["session"]
    forget(dana, session, 300)
    assert post(dana, said("and now", 0))["accepted"] == 1
    assert post(dana, {**said("without a time", 0), "occurred_at": ""})["accepted"] == 1
    assert texts() == ["keep", "kept", "and now", "without a time"]


def test_a_clock_that_is_a_little_wrong_neither_loses_nor_leaks(dana, shop):
    """Half a minute is not corrected for display, but it decides here."""
    half_a_minute = 0.5
    for ahead in (half_a_minute, -half_a_minute):
        native_id = str(uuid4())
        session = post(dana, said("keep", 60), native_id=native_id)["session"]
        forget(dana, session, 10)
        clock = (datetime.now(UTC) + timedelta(minutes=ahead)).isoformat()
        old = said("slip", 0.1 - ahead)
        new = said("and now", -0.001 - ahead)
        post(dana, old, new, native_id=native_id, sent_at=clock)
        kept = Event.objects.filter(session_id=session).order_by("number").values_list("text", flat=True)
        assert list(kept) == ["keep", "and now"]


def test_forgetting_again_is_harmless_and_written_down_once(dana, shop):
    session = post(dana, *STORY)["session"]
    assert [forget(dana, session, 300).json()["forgotten"] for _ in range(3)] == [2, 0, 0]
    (entry,) = AuditEntry.objects.filter(verb="session.forgotten")
    assert entry.facts["events"] == 2
    assert "slip" not in str(vars(entry))
    assert Forgotten.objects.count() == 1
    assert ForgottenDelivery.objects.count() == 2


def test_subagents_forget_with_their_parent(dana, shop):
    parent = post(dana, said("keep", 60), happened("subagent", 50, agent_id="a", call_id="c"))["session"]
    child = {"native_id": "s-1/a", "parent_native_id": "s-1"}
    work = [said("task", 50), happened("reply", 5, text="slipped")]
    post(dana, *work, **child)
    assert forget(dana, parent, 10).json() == {"forgotten": 1}
    post(dana, *work, **child)
    post(dana, said("slip", 5), native_id="s-1/b", parent_native_id="s-1")
    assert "slipped" not in texts()
    assert "slip" not in texts()


def test_a_title_made_of_what_is_forgotten_goes_too(dana, shop):
    session = post(dana, said("slip", 5), title="The slip")["session"]
    forget(dana, session, 300)
    assert Session.objects.get().title == ""


# ---- deleting ----


@pytest.mark.parametrize("way", ["delete", "forget"])
def test_a_deleted_session_does_not_come_back_by_what_is_told_late(dana, shop, way):
    session = post(dana, *STORY)["session"]
    address = f"/api/v1/sessions/{session}"
    answer = dana.api.delete(address) if way == "delete" else dana.api.post(f"{address}/forget", {}, format="json")
    assert answer.status_code in (200, 204)
    told = post(dana, *STORY, happened("tool_call", 3, name="Bash", family="shell"))
    assert (told["session"], told["url"], told["duplicates"]) == (None, None, 5)
    post(dana, *({**one, "uid": str(uuid4())} for one in STORY), origin="transcript")
    post(dana)
    assert not Session.objects.exists()


def test_asking_again_to_forget_a_deleted_session_is_harmless(dana, ravi, shop):
    session = post(dana, *STORY)["session"]
    assert [forget(dana, session).json() for _ in range(2)] == [{"forgotten": 4}, {"forgotten": 0}]
    assert forget(ravi, session).status_code == 404
    assert AuditEntry.objects.filter(verb="session.deleted").count() == 1


def test_its_persons_next_prompt_begins_it_anew(dana, shop):
    first = post(dana, *STORY)["session"]
    forget(dana, first)
    end_of_the_turn = [happened("reply", -0.001, text="more of it"), happened("turn_end", -0.002)]
    assert post(dana, *end_of_the_turn)["session"] is None
    told = post(dana, happened("reply", -0.003, text="more of it"), said("something else", -0.004))
    assert (told["accepted"], told["duplicates"]) == (1, 1)
    assert told["session"] != first
    post(dana, *STORY, *end_of_the_turn, happened("reply", -0.005, text="done"))
    assert texts() == ["something else", "done"]


def test_subagents_of_a_deleted_session_come_back_with_it_alone(dana, shop):
    first = post(dana, said("slip", 5), happened("subagent", 4, agent_id="a", call_id="c"))["session"]
    child = {"native_id": "s-1/a", "parent_native_id": "s-1"}
    post(dana, said("task", 4), **child)
    forget(dana, first)
    post(dana, said("task", -0.001), **child)
    post(dana, said("task", -0.001), native_id="s-1/new", parent_native_id="s-1")
    assert not Session.objects.exists()
    post(dana, said("something else", -0.002))
    post(dana, said("task two", -0.003), native_id="s-1/new", parent_native_id="s-1")
    assert texts() == ["something else", "task two"]


def test_a_session_deleted_by_an_administrator_stays_away_too(dana, team, shop):
    admin = make_person(team, "ada", "admin")
    session = post(dana, *STORY)["session"]
    assert admin.api.delete(f"/api/v1/sessions/{session}").status_code == 204
    assert post(dana, *STORY)["session"] is None


def test_the_same_native_id_of_somebody_else_is_another_session(dana, ravi, team, shop):
    from tests.conftest import connect

    connect(ravi, shop)
    forget(dana, post(dana, *STORY)["session"])
    assert post(ravi, *STORY)["accepted"] == 4
    assert post(dana, *STORY, native_id="s-2")["accepted"] == 4


def test_every_delivery_of_a_large_session_is_remembered_in_few_statements(dana, shop, django_assert_max_num_queries):
    events = [said(f"p{n}", 5) for n in range(400)]
    session = post(dana, *events)["session"]
    with django_assert_max_num_queries(30):
        forget(dana, session)
    assert ForgottenDelivery.objects.count() == 400
