"""What events do to their session."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sessions_app.models import Event, Session
from sessions_app.services import effects
from sessions_app.services.ingest import sweep_silence
from tests.sessions_app.wire import body, event, prompt, reply, shell

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)


def ago(item: dict, **span) -> dict:
    return {**item, "occurred_at": (datetime.now(UTC) - timedelta(**span)).isoformat()}


def send(person, *events, **session) -> Session:
    answer = person.api.post("/api/v1/events", body(*events, **session), format="json")
    assert not answer.json()["rejected"]
    return Session.objects.get(native_id=session.get("native_id", "s-1"))


def test_stop_ends_the_turn_and_only_session_end_ends_the_session(dana, shop):
    session = send(dana, ago(prompt("one"), minutes=5), ago(event("turn_end"), minutes=4))
    assert (session.status, session.ended_at) == ("idle", None)

    session = send(dana, ago(prompt("two"), minutes=3))
    assert session.status == "working"

    session = send(dana, ago(event("turn_end"), minutes=2), ago(event("session_end", reason="logout"), minutes=1))
    assert (session.status, session.end_reason) == ("ended", "logout")
    assert session.ended_at == Event.objects.get(kind="session_end").occurred_at


def test_late_event_from_before_the_end_leaves_the_end_as_it_was(dana, shop):
    send(dana, ago(prompt("one"), minutes=5), ago(event("session_end"), minutes=1))
    session = send(dana, ago(shell("ls"), minutes=3))

    assert session.status == "ended"
    assert session.tool_calls == 1


def test_event_after_the_end_reopens(dana, shop):
    send(dana, ago(prompt("one"), minutes=5), ago(event("session_end", reason="clear"), minutes=4))
    session = send(dana, ago(prompt("two"), minutes=1))

    assert (session.status, session.ended_at, session.end_reason) == ("working", None, "")


def test_attention_waits_with_the_whole_command_until_something_happens(dana, shop):
    session = send(
        dana, ago(prompt("go"), minutes=2), ago(event("attention", command="git push -f", text="?"), minutes=1)
    )
    assert (session.status, session.waiting_for) == ("needs_you", "git push -f")

    session = send(dana, ago(shell("git push -f"), seconds=30))
    assert (session.status, session.waiting_for) == ("working", "")


def test_batches_in_reverse_order_give_the_same_session(dana, shop):
    events = [
        ago(prompt("first words"), minutes=9),
        ago(reply("hm"), minutes=8),
        ago(prompt("second"), minutes=7),
        ago(event("turn_end"), minutes=6),
    ]
    for item in events:
        send(dana, item, native_id="forth")
    for item in reversed([{**e, "uid": e["uid"][::-1]} for e in events]):
        send(dana, item, native_id="back")

    forth, back = Session.objects.get(native_id="forth"), Session.objects.get(native_id="back")
    for name in ("status", "title", "started_at", "last_event_at", "status_since", "prompts"):
        assert getattr(forth, name) == getattr(back, name), name


def test_start_that_comes_late_fills_in_and_resets_nothing(dana, shop):
    send(dana, ago(prompt("go"), minutes=3), ago(shell("ls"), minutes=2))
    session = send(dana, ago(event("session_start", source="startup", model="m-2"), minutes=4), branch="main")

    assert (session.events, session.status, session.model, session.branch) == (3, "working", "m-2", "main")


@pytest.mark.parametrize(
    "harness, silence, status",
    [
        ("claude-code", timedelta(minutes=9), "working"),
        ("claude-code", timedelta(minutes=11), "idle"),
        ("claude-code", timedelta(hours=25), "ended"),
    ],
)
def test_silence_idles_then_ends(dana, shop, harness, silence, status):
    send(dana, ago(prompt("go"), minutes=1), harness=harness)
    last = Session.objects.get().last_event_at

    sweep_silence(now=last + silence)

    session = Session.objects.get()
    assert session.status == status
    assert session.ended_at == (last if status == "ended" else None)


def test_waiting_session_keeps_waiting_until_it_ends(dana, shop):
    send(dana, ago(event("attention", text="May I?"), minutes=1))
    last = Session.objects.get().last_event_at

    sweep_silence(now=last + timedelta(hours=5))

    assert (Session.objects.get().status, Session.objects.get().waiting_for) == ("needs_you", "May I?")


def test_imported_old_session_is_over_at_once(dana, shop):
    session = send(dana, ago(prompt("go"), days=30), ago(reply("done"), days=30))

    assert session.status == "ended"
    assert session.ended_at == session.last_event_at


@pytest.mark.parametrize(
    "text, title",
    [
        ("  fix\n the   totals ", "fix the totals"),
        ("x" * 200, None),
        ("<private>orchid-secret-77</private>", ""),
    ],
)
def test_title_is_the_first_prompt_on_one_line(dana, shop, text, title):
    session = send(dana, ago(prompt(text), minutes=1))

    assert len(session.title) <= 80
    if title is not None:
        assert session.title == title


def test_title_of_the_harness_wins_and_a_persons_stays(dana, shop):
    assert send(dana, ago(prompt("go"), minutes=1), title="Retry budget").title == "Retry budget"
    Session.objects.update(title="Mine", title_source="person")

    assert send(dana, ago(prompt("x"), minutes=1), title="Other").title == "Mine"


def test_trace_keeps_its_size_and_the_loudest_bar(dana, shop):
    session = Session()
    letters = ["t"] * 1000
    letters[500] = "f"
    for bar in letters:
        effects._extend_trace(session, bar)
        session.events += 1

    assert (len(session.trace), session.trace_step, len(session.tail)) == (250, 4, 32)
    assert session.trace.count("f") == 1
    assert session.trace.index("f") == 500 // 4


def test_listeners_hear_inside_the_transaction(dana, shop, settings):
    settings.STASH_LISTENERS = ["tests.sessions_app.test_effects.Heard"]
    Heard.what.clear()
    send(dana, ago(prompt("go"), minutes=2), ago(event("turn_end"), minutes=1))
    send(dana, ago(event("session_end"), seconds=1))

    assert Heard.what == ["session_opened", "session_prompted", "turn_ended", "session_ended"]


def test_listeners_hear_of_the_end_of_an_imported_session(dana, shop, settings):
    settings.STASH_LISTENERS = ["tests.sessions_app.test_effects.Heard"]
    Heard.what.clear()
    send(dana, ago(prompt("go"), days=30), ago(reply("done"), days=30))

    assert Heard.what == ["session_opened", "session_prompted", "session_ended"]


def test_activity_told_late_leaves_the_end_as_it_was(dana, shop):
    ended = send(dana, ago(prompt("go"), minutes=3), ago(event("session_end"), minutes=1))
    session = send(dana, ago(event("activity", text="Running pytest"), minutes=2))

    assert (session.status, session.ended_at, session.activity) == ("ended", ended.ended_at, "")


def test_many_idle_sessions_keep_none_from_idling(dana, shop):
    for n in range(3):
        send(dana, ago(prompt("go"), minutes=40), ago(event("turn_end"), minutes=39), native_id=f"old-{n}")
    send(dana, ago(prompt("go"), minutes=1), native_id="new")

    assert sweep_silence(now=datetime.now(UTC) + timedelta(minutes=15), limit=1) == 1
    assert Session.objects.get(native_id="new").status == "idle"


class Heard:
    what: list[str] = []

    @classmethod
    def session_opened(cls, actor, session):
        cls.what.append("session_opened")

    @classmethod
    def session_prompted(cls, actor, session):
        cls.what.append("session_prompted")

    @classmethod
    def turn_ended(cls, actor, session):
        cls.what.append("turn_ended")

    @classmethod
    def session_ended(cls, actor, session):
        cls.what.append("session_ended")
