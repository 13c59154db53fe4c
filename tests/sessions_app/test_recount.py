"""Counters, trace and files of a session are what its stored events say, whatever the order of deliveries."""

from __future__ import annotations

import random
from collections import Counter
from uuid import UUID, uuid5

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sessions_app.models import Event, Session, SessionFile
from sessions_app.services import effects
from tests.sessions_app.wire import body, event

pytestmark = pytest.mark.django_db
_SPACE = UUID(int=7)
_DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"
_COUNTED = (  # noqa: SIM905 - a line of names reads better than a column
    "prompts tool_calls failures edits files lines_added lines_removed tokens_in tokens_out tokens_cache_read"
    " tokens_cache_write redactions"
).split()

usage = st.none() | st.fixed_dictionaries({"input": st.integers(0, 9), "output": st.integers(0, 9)})
calls = st.fixed_dictionaries(
    {
        "kind": st.just("tool_call"),
        "name": st.sampled_from(["Edit", "Bash"]),
        "family": st.sampled_from(["edit", "shell", "read"]),
        "call_id": st.sampled_from(["c1", "c2", "c3"]) | st.none(),
        "ok": st.sampled_from([None, True, False]),
        "exit_code": st.sampled_from([None, 0, 1]),
        "output": st.sampled_from([None, "done", "password=hunter2hunter2"]),
        "paths": st.sampled_from([[], ["shop.py"], ["shop.py", "till.py"]]),
        "diff": st.sampled_from([None, _DIFF]),
    }
)
replies = st.fixed_dictionaries(
    {
        "kind": st.just("reply"),
        "text": st.sampled_from(["yes", "no"]),
        "message_id": st.sampled_from([None, "m1", "m2"]),
        "usage": usage,
    }
)
prompts = st.fixed_dictionaries(
    {"kind": st.just("prompt"), "text": st.sampled_from(["go", "again"]), "turn_id": st.sampled_from([None, "t1"])}
)
ends = st.fixed_dictionaries({"kind": st.just("turn_end"), "reason": st.sampled_from(["completed", "error"])})
items = st.lists(calls | calls | replies | prompts | ends, min_size=1, max_size=6)
_MISSED = ("ok", "exit_code", "output", "diff", "usage", "message_id", "paths")
"""What one origin may not know of a moment."""


def half_known(story: list[dict], order: random.Random) -> list[dict]:
    return [{k: v for k, v in one.items() if k not in _MISSED or order.random() < 0.6} for one in story]


def deliver(person, origin: str, given: list[dict], order: random.Random) -> dict:
    """In batches of any size, some twice; delivery ids belong to the item. Returns the sums of the answers."""
    numbered = [
        {**event(one["kind"], at=n, uid=str(uuid5(_SPACE, f"{origin}{n}"))), **one} for n, one in enumerate(given)
    ]
    batches, rest = [], numbered
    while rest:
        size = order.randint(1, len(rest))
        batches, rest = [*batches, rest[:size]], rest[size:]
    batches += order.sample(batches, k=min(len(batches), 2))
    order.shuffle(batches)
    sums: Counter[str] = Counter()
    for batch in batches:
        answer = person.api.post("/api/v1/events", {**body(*batch), "origin": origin}, format="json")
        assert answer.status_code == 200, answer.content
        said = answer.json()
        counted = {name: said[name] for name in ("accepted", "completed", "duplicates")}
        assert sum(counted.values()) + len(said["rejected"]) == len(batch)
        sums.update(counted, rejected=len(said["rejected"]))
    return sums


def recount(session: Session) -> Session:
    """What a session would count that was told its events as they are stored now."""
    told = Session(harness=session.harness)
    events = list(Event.objects.filter(session=session).order_by("number"))
    told.started_at = told.status_since = told.last_event_at = events[0].occurred_at
    effects.absorb(told, events)
    files = SessionFile.objects.filter(session=session)
    told.files = files.filter(edits__gt=0).count()
    told.lines_added = sum(file.lines_added for file in files)
    told.lines_removed = sum(file.lines_removed for file in files)
    return told


def expected_files(session: Session) -> dict[str, tuple[int, int, int, int]]:
    """By path: edits, reads, lines added and removed; the diff here is always of the first path."""
    found: dict[str, list[int]] = {}
    for call in Event.objects.filter(session=session, kind="tool_call", family__in=("edit", "read")):
        paths = call.body.get("paths", [])
        for path in paths:
            sums = found.setdefault(path, [0, 0, 0, 0])
            sums[0] += call.family == "edit"
            sums[1] += call.family == "read"
        if call.family == "edit" and call.ok is not False and call.body.get("diff") and paths:
            found[paths[0]][2] += 2
            found[paths[0]][3] += 1
    return {path: tuple(sums) for path, sums in found.items()}


@settings(max_examples=25, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(story=items, more=items, seed=st.integers(0, 2**32))
def test_counters_equal_a_recount(dana, shop, story, more, seed):
    Session.objects.all().delete()
    order = random.Random(seed)
    told_twice = [*story, *order.sample(more, k=len(more) // 2)]
    stories = [("hook", half_known(story, order)), ("transcript", half_known(told_twice, order))]
    order.shuffle(stories)
    sums: Counter[str] = Counter()
    for origin, story in stories:
        sums += deliver(dana, origin, story, order)

    session = Session.objects.get()
    stored = list(Event.objects.filter(session=session).order_by("number"))
    assert sums["accepted"] == len(stored) == session.events
    assert [one.number for one in stored] == list(range(1, len(stored) + 1))
    assert len({one.seq for one in stored}) == len(stored)
    assert max(one.seq for one in stored) == session.last_seq == len(stored) + sums["completed"]
    told = recount(session)
    assert {name: getattr(session, name) for name in _COUNTED} == {name: getattr(told, name) for name in _COUNTED}
    assert (session.tail, session.trace) == (told.tail, told.trace)
    files = SessionFile.objects.filter(session=session)
    counted = {file.path: (file.edits, file.reads, file.lines_added, file.lines_removed) for file in files}
    assert counted == expected_files(session)


def test_a_transcript_that_knows_of_the_failure_corrects_the_counters(dana, shop):
    call = {"name": "Edit", "family": "edit", "call_id": "c1", "paths": ["shop.py"]}
    dana.api.post("/api/v1/events", body(event("tool_call", **call)), format="json")
    grown = event("tool_call", **call, ok=False, exit_code=2, output="password=hunter2hunter2", diff=_DIFF)
    answer = dana.api.post("/api/v1/events", {**body(grown), "origin": "transcript"}, format="json").json()
    session = Session.objects.get()
    assert (answer["completed"], session.failures, session.tail, session.trace) == (1, 1, "f", "f")
    assert session.redactions == {"password": 1} == Event.objects.get().redactions
    assert (session.lines_added, session.touched.get().edits) == (0, 1)


def test_an_edit_that_turns_out_to_have_failed_takes_its_lines_back(dana, shop):
    call = {"name": "Edit", "family": "edit", "call_id": "c1", "paths": ["shop.py"], "diff": _DIFF}
    dana.api.post("/api/v1/events", body(event("tool_call", **call)), format="json")
    assert Session.objects.get().lines_added == 2
    dana.api.post(
        "/api/v1/events", {**body(event("tool_call", **call, ok=False)), "origin": "transcript"}, format="json"
    )
    session = Session.objects.get()
    assert (session.lines_added, session.lines_removed, session.touched.get().lines_added) == (0, 0, 0)


def test_a_subagent_known_by_its_call_gets_its_session_when_its_id_is_told(dana, shop):
    dana.api.post("/api/v1/events", body(event("subagent", call_id="c1", state="started")), format="json")
    told = event("subagent", call_id="c1", agent_id="a7", state="finished", task="count the till")
    dana.api.post("/api/v1/events", {**body(told), "origin": "transcript"}, format="json")
    known = Event.objects.get()
    assert (known.body["agent_id"], known.body["task"]) == ("a7", "count the till")
    assert known.body["child"] == str(Session.objects.get(native_id="s-1/a7").pk)


def test_a_call_may_name_any_number_of_paths(dana, shop):
    paths = [f"src/{n}.py" for n in range(60_000)]
    more = [f"lib/{n}.py" for n in range(1_000)]
    batch = body(event("tool_call", family="read", paths=paths), event("tool_call", family="read", paths=more))
    assert dana.api.post("/api/v1/events", batch, format="json").status_code == 200
    assert Session.objects.get().touched.count() == 2_000
    assert len(Event.objects.earliest("number").body["paths"]) == 60_000
