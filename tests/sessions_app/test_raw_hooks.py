"""POST /hooks/{harness}: a harness that posts by itself, for people who switched that on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from accounts.models import Connection
from sessions_app.models import Event, Session

pytestmark = pytest.mark.django_db
SAMPLES = Path(__file__).parent.parent / "harness_samples"
CASES = Path(__file__).parent.parent / "cases"
PROJECT = "git@git.example.test:acme/shop.git"


@pytest.fixture
def raw(dana, shop):
    Connection.objects.update(raw_hooks=True)

    def post(payload, harness="claude-code", project=PROJECT, **headers):
        data = payload if isinstance(payload, bytes) else json.dumps(payload)
        return dana.api.post(
            f"/api/v1/hooks/{harness}",
            data,
            content_type="application/json",
            headers={"X-Stash-Project": project} | headers,
        )

    return post


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (CASES / name).read_text().splitlines()]


def test_post_is_refused_until_the_person_switched_it_on(dana, shop, raw):
    Connection.objects.update(raw_hooks=False)

    answer = raw({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hi"})

    assert (answer.status_code, answer.json()["code"]) == (422, "raw_hooks_off")


def test_post_without_project_says_which_header(raw):
    answer = raw({"session_id": "s"}, project="")

    assert (answer.status_code, answer.json()["code"]) == (422, "project_missing")


def test_post_twice_within_ten_minutes_is_once(raw):
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hi"}
    assert [raw(payload).status_code, raw(payload).status_code] == [200, 200]

    assert Event.objects.count() == 1


def test_post_with_other_idempotency_key_is_another_event(raw):
    payload = {"session_id": "s", "hook_event_name": "Notification", "message": "hi"}
    for key in ("a", "a", "b"):
        raw(payload, **{"Idempotency-Key": key})

    assert Event.objects.count() == 2


@pytest.mark.parametrize("name", ["H01.no-bom.json", "H01.one-bom.json", "H01.two-boms.json"])
def test_post_with_byte_order_marks_keeps_every_character(raw, name):
    assert raw((CASES / name).read_bytes(), harness="cursor").status_code == 200

    assert Event.objects.get().text == "Größe der Rechnung prüfen – ¿está bien? 請求書"


def test_post_of_nothing_but_a_mark_is_fine_and_stores_nothing(raw):
    assert raw((CASES / "H01.bom-only.txt").read_bytes()).status_code == 200
    assert not Event.objects.exists()


def test_post_unreadable_payload_is_kept_and_visible(raw):
    assert raw(b"{not json at all").status_code == 200

    assert Event.objects.get().kind == "note"


def test_variants_of_one_payload_are_all_stored_with_their_text(raw):
    for case in lines("H06.variants.jsonl"):
        assert raw(case["stdin"]).status_code == 200, case["case"]

    stored = json.dumps(list(Event.objects.values("text", "output", "body")), ensure_ascii=False)
    for findable in ("hi", "ticket 7", "notes/new.md"):
        assert findable in stored


def test_events_before_the_start_are_one_session(raw):
    for payload in lines("S01.no-start.jsonl"):
        raw(payload)

    session = Session.objects.get()
    kinds = list(Event.objects.order_by("number").values_list("kind", flat=True))
    assert kinds == ["prompt", "tool_call", "session_start", "reply", "turn_end"]
    assert (session.events, session.prompts) == (5, 1)


def test_stop_per_turn_keeps_the_session_open_until_its_end(raw):
    *before, end, late = [line["stdin"] for line in lines("S02.stop-per-turn.jsonl")]
    for payload in before:
        raw(payload)
    assert Session.objects.get().status == "idle"
    raw(end)
    assert Session.objects.get().status == "ended"
    raw(late)

    session = Session.objects.get()
    assert session.events == Event.objects.count()
    assert session.status == "working"


def test_subagents_are_children_and_count_no_prompts(raw):
    for payload in lines("S05.hooks.jsonl"):
        assert raw(payload).status_code == 200

    parent = Session.objects.get(parent__isnull=True)
    children = {child.native_id: child for child in parent.children.all()}
    assert (parent.prompts, parent.status != "ended", len(children)) == (1, True, 2)
    for child in children.values():
        assert child.prompts == 0
    reports = {e.body["agent_id"]: e.text for e in Event.objects.filter(session=parent, kind="subagent")}
    assert len(reports) == 2
    assert all(reports.values())


def test_images_stay_out_and_the_text_around_them_in(raw):
    payload = json.loads((CASES / "T09.image-hook.json").read_text())
    payload["tool_response"][1]["source"]["data"] = "QUJD" * 200_000
    payload["tool_response"].append({"type": "text", "text": "tail marker after the image: fjord-lantern-41"})
    raw(payload)

    stored = Event.objects.get()
    whole = json.dumps([stored.text, stored.output, stored.body])
    assert "fjord-lantern-41" in whole
    assert "QUJDQUJD" not in whole
    assert len(whole) < 5000


def test_very_large_output_is_cut_and_says_so(raw):
    payload = json.loads((SAMPLES / "claude-code/PostToolUse.bash_secret.json").read_text())
    payload["tool_response"]["stdout"] = "line of output\n" * 400_000

    assert raw(payload).status_code == 200
    assert len(Event.objects.get().output.encode()) <= 256 * 1024


@pytest.mark.parametrize("path", sorted((SAMPLES / "claude-code").glob("*.json")), ids=lambda p: p.stem)
def test_every_sample_is_accepted(raw, path):
    assert raw(path.read_bytes()).status_code == 200
    stored = json.dumps(list(Event.objects.values("text", "output", "body")))
    assert "EXAMPLEonlyNotReal" not in stored
