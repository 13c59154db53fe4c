"""One moment, however many tell of it."""

from __future__ import annotations

import random
import threading
from datetime import UTC, datetime

import pytest
from django.db import connection as database

from sessions_app.models import Event, Session
from tests.sessions_app.wire import body, edit, event, prompt, reply, shell

pytestmark = pytest.mark.django_db


def send(person, *events, origin="hook", **session) -> dict:
    payload = body(*events, **session) | {"origin": origin}
    answer = person.api.post("/api/v1/events", payload, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_transcript_adds_what_hooks_missed_and_never_doubles(dana, shop):
    send(dana, prompt("fix it", at=0, turn_id="t1"), shell("ls", "a", call_id="c1", at=1), reply("Done.", at=9))

    said = send(
        dana,
        prompt("fix  it\n", at=0.1, turn_id="t1"),
        shell("ls", "a", call_id="c1", at=1.2),
        reply("Looking.", message_id="m1", at=2),
        reply("Done.", message_id="m2", at=8.9),
        origin="transcript",
    )

    assert (said["accepted"], said["completed"] + said["duplicates"]) == (1, 3)
    assert Event.objects.count() == 4


def test_completion_fills_what_was_open_and_renews_seq(dana, shop):
    send(dana, prompt("go", at=0), reply("Done.", at=1))
    usage = {"input": 100, "output": 10}

    said = send(dana, reply("Done.", at=1, message_id="m", model="m-1", usage=usage), origin="transcript")

    stored = Event.objects.get(kind="reply")
    assert (said["completed"], said["last_seq"]) == (1, 3)
    assert (stored.number, stored.seq, stored.message_id, stored.body["model"]) == (2, 3, "m", "m-1")
    assert (Session.objects.get().tokens_in, Session.objects.get().tokens_out) == (100, 10)


def test_completion_happens_at_most_once(dana, shop):
    send(dana, reply("Done.", at=1))
    twin = reply("Done.", at=1, model="m-1")
    send(dana, twin, origin="transcript")

    assert send(dana, twin, origin="transcript")["duplicates"] == 1
    assert send(dana, reply("Done.", at=1, model="other"), origin="transcript")["accepted"] == 1


def test_retry_of_a_completing_delivery_with_other_content_is_a_conflict(dana, shop):
    send(dana, reply("Done.", at=1))
    twin = reply("Done.", at=1, model="m-1")
    send(dana, twin, origin="transcript")

    said = send(dana, {**twin, "model": "m-2"}, origin="transcript")

    assert [r["problem"]["code"] for r in said["rejected"]] == ["uid_conflict"]


def test_transcript_read_again_after_it_grew_completes(dana, shop):
    half = reply("Done.", at=1)
    send(dana, half, origin="transcript")
    whole = {**half, "usage": {"input": 7, "output": 1}}

    said = send(dana, whole, origin="transcript")

    assert (said["completed"], said["rejected"]) == (1, [])
    assert Session.objects.get().tokens_in == 7
    assert send(dana, whole, origin="transcript")["duplicates"] == 1


def test_genuine_repeats_are_kept(dana, shop):
    send(dana, prompt("again", at=0), prompt("again", at=60))

    said = send(dana, *[prompt("again", at=t) for t in (0, 60, 120)], origin="transcript")

    assert (said["accepted"], Event.objects.count()) == (1, 3)


def test_repeats_are_counted_alike_whoever_comes_first(dana, shop):
    transcript = [prompt("again", at=t) for t in (0, 60)]
    send(dana, *transcript, origin="transcript")

    send(dana, prompt("again", at=0.5))
    send(dana, prompt("again", at=60.5))

    assert Event.objects.count() == 2


def test_hook_registered_twice_is_one_moment(dana, shop):
    for _ in range(2):
        send(dana, prompt("go", turn_id="t1", at=0))
        send(dana, shell("ls", call_id="c1", at=1))
        send(dana, reply("ok", turn_id="t1", at=2), event("turn_end", turn_id="t1", at=2))

    assert list(Event.objects.order_by("number").values_list("kind", flat=True)) == [
        "prompt",
        "tool_call",
        "reply",
        "turn_end",
    ]


def test_same_words_twice_in_one_turn_of_a_transcript_are_two(dana, shop):
    send(dana, reply("ok", turn_id="t1", at=1), reply("ok", turn_id="t1", at=2), origin="transcript")

    assert Event.objects.count() == 2


def test_same_call_id_in_two_sessions_are_two_moments(dana, shop):
    send(dana, shell("ls", call_id="c1"), native_id="one")
    send(dana, shell("ls", call_id="c1"), native_id="two")

    assert Event.objects.count() == 2


def test_subagents_without_ids_are_not_one(dana, shop):
    """Some agents tell of their subagents without saying which."""
    send(dana, event("subagent", agent_type="Explore", state="started", task="look", at=1))
    send(dana, event("subagent", agent_type="Explore", state="started", task="look again", at=2))

    assert Event.objects.filter(kind="subagent").count() == 2


def test_subagent_reports_into_its_one_event(dana, shop):
    send(dana, event("subagent", agent_id="a1", agent_type="Explore", state="started", task="look", at=1))
    send(dana, event("subagent", agent_id="a1", state="finished", text="found it", at=9))

    stored = Event.objects.get()
    child = Session.objects.get(parent__isnull=False)
    assert (stored.body["state"], stored.text, stored.body["task"]) == ("finished", "found it", "look")
    assert (stored.body["child"], child.native_id, child.agent_type) == (str(child.pk), "s-1/a1", "Explore")


def test_child_session_inherits_project_and_visibility(dana, shop):
    send(dana, prompt("go"))
    send(dana, shell("rg x", call_id="c9"), native_id="s-1/a1", parent_native_id="s-1", agent_type="Explore")

    child = Session.objects.get(native_id="s-1/a1")
    assert (child.parent.native_id, child.project, child.visibility) == ("s-1", shop, "project")
    assert child.parent.prompts == 1


def test_child_heard_of_first_makes_its_parent(dana, shop):
    send(dana, shell("rg x"), native_id="p/a1", parent_native_id="p")
    send(dana, prompt("go"), native_id="p")

    assert Session.objects.get(native_id="p").prompts == 1
    assert Session.objects.count() == 2


def test_untimed_transcript_takes_its_place_from_its_neighbours(dana, shop):
    send(dana, prompt("one", at=0), shell("ls", call_id="c1", at=5), prompt("two", at=60))
    untimed = [
        {**item, "occurred_at": ""}
        for item in (prompt("one"), reply("first answer"), prompt("two"), reply("second answer"))
    ]

    send(dana, *untimed, origin="transcript")

    shown = Event.objects.order_by("occurred_at", "number").values_list("text", flat=True)
    assert [text for text in shown if text] == ["one", "first answer", "two", "second answer"]


def test_untimed_tool_calls_fill_only_turns_without_live_ones(dana, shop):
    send(dana, prompt("one", at=0), edit("a.py", call_id="c1", at=5), prompt("two", at=60))
    untimed = [
        {**item, "occurred_at": ""} for item in (prompt("one"), edit("b.py"), shell("ls"), prompt("two"), edit("c.py"))
    ]

    send(dana, *untimed, origin="transcript")

    paths = [e.body.get("paths") for e in Event.objects.filter(kind="tool_call")]
    assert sorted(map(str, paths)) == ["['a.py']", "['c.py']"]


@pytest.mark.django_db(transaction=True)
def test_concurrent_batches_number_without_gap_or_double(dana, shop):
    events = [prompt(f"p{i}", at=i) for i in range(24)] + [shell(f"c{i}", call_id=f"c{i}", at=i) for i in range(24)]
    batches = [events[i::6] for i in range(6)] * 2
    random.Random(4).shuffle(batches)
    failures: list[object] = []

    def post(batch):
        try:
            send(dana, *random.sample(batch, len(batch)))
        except BaseException as error:  # a thread's failure must reach the test
            failures.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=post, args=[batch]) for batch in batches]
    [t.start() for t in threads]
    [t.join() for t in threads]

    assert not failures
    session = Session.objects.get()
    assert sorted(Event.objects.values_list("number", flat=True)) == list(range(1, 49))
    assert sorted(Event.objects.values_list("seq", flat=True)) == list(range(1, 49))
    assert (session.events, session.prompts, session.tool_calls) == (48, 24, 24)
    assert session.started_at < datetime.now(UTC)


def test_a_prompt_with_an_id_is_one_whatever_was_done_to_its_text(dana, shop):
    send(dana, prompt("rename the column", at=0, turn_id="msg_1", message_id="msg_1"))

    said = send(
        dana,
        prompt("rename the column\n\n[plugin] extra text", at=0, turn_id="msg_1", message_id="msg_1"),
        prompt("rename the column", at=5, turn_id="msg_3", message_id="msg_3"),
        origin="transcript",
    )

    assert (said["accepted"], Event.objects.filter(kind="prompt").count()) == (1, 2)
