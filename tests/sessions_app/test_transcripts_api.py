"""POST /transcripts: a native file, streamed, with the same answer as events."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sessions_app.models import Event, Session

pytestmark = pytest.mark.django_db
SAMPLES = Path(__file__).parent.parent / "harness_samples"
CASES = Path(__file__).parent.parent / "cases"
SESSION = {"project": {"identities": ["git.example.test/acme/shop"]}}


@pytest.fixture
def upload(dana, shop):
    def post(data: bytes, harness="claude-code", session=SESSION, **headers):
        return dana.api.post(
            f"/api/v1/transcripts?harness={harness}",
            data,
            content_type="application/octet-stream",
            headers={"Stash-Session": json.dumps(session)} | headers,
        )

    return post


def prompts() -> list[str]:
    return list(
        Event.objects.filter(kind="prompt").order_by("occurred_at", "n", "number").values_list("text", flat=True)
    )


def test_upload_stores_the_story(upload):
    said = upload((SAMPLES / "claude-code/transcript.jsonl").read_bytes()).json()

    session = Session.objects.get(parent__isnull=True)
    assert said["session"] == str(session.pk)
    assert (said["rejected"], said["accepted"]) == ([], Event.objects.count())
    assert len(prompts()) == session.prompts == 3


def test_upload_again_and_compressed_adds_nothing(upload):
    data = (SAMPLES / "claude-code/transcript.jsonl").read_bytes()
    first = upload(data).json()

    again = upload(gzip.compress(data), **{"Content-Encoding": "gzip"}).json()

    assert (again["accepted"], again["duplicates"]) == (0, first["accepted"])


def test_machine_text_is_not_a_prompt(upload):
    upload((CASES / "T02.claude.jsonl").read_bytes())

    expected = json.loads((CASES / "T02.expected.json").read_text())
    assert prompts() == expected["human_prompts"]
    assert Session.objects.get().title == expected["title_from"]
    assert Event.objects.filter(kind="compaction").count() == expected["compactions"]


def test_broken_lines_are_counted_and_the_rest_is_stored(upload):
    answer = upload((CASES / "T03.claude.jsonl").read_bytes())

    expected = json.loads((CASES / "T03.expected.json").read_text())
    assert answer.status_code == 200
    assert prompts() == expected["prompts"]
    replies = Event.objects.filter(kind="reply").values_list("text", flat=True)
    assert sorted(replies) == sorted(expected["assistant_texts"])
    assert sum(answer.json()["skipped"].values()) >= 4


@pytest.mark.parametrize("name", ["codex-both", "codex-events-only", "codex-items-only"])
def test_codex_tells_each_message_once(upload, name):
    upload((CASES / f"T06.{name}.jsonl").read_bytes(), harness="codex")

    expected = json.loads((CASES / "T06.expected.json").read_text())["each_file"]
    session = Session.objects.get()
    assert prompts() == expected["prompts"]
    assert Event.objects.filter(kind="reply").count() == expected["answers"]
    assert session.tool_calls == expected["tool_calls"]
    tokens = session.tokens_in + session.tokens_out + session.tokens_cache_read + session.tokens_cache_write
    assert tokens == expected["tokens_total"]


def test_hostile_characters_do_not_stop_an_upload(upload):
    answer = upload((CASES / "T05.hostile-characters.jsonl").read_bytes())

    assert answer.status_code == 200
    assert Event.objects.exists()
    for event in Event.objects.all():
        json.dumps([event.text, event.output, event.body], ensure_ascii=False).encode("utf-8")


def test_large_file_is_streamed_whole(upload):
    line = json.dumps(
        {
            "type": "user",
            "sessionId": "big",
            "timestamp": "2026-11-24T09:15:05Z",
            "message": {"role": "user", "content": "word " * 2000},
        }
    )
    records = [line.replace('"type": "user"', f'"uuid": "u{i}", "type": "user"', 1) for i in range(1200)]

    said = upload("\n".join(records).encode()).json()

    assert said["accepted"] == 1200


@pytest.mark.parametrize("header", ["{", "[]", '{"native_id": 3}'])
def test_unreadable_session_header_is_a_clear_error(dana, shop, header):
    answer = dana.api.post(
        "/api/v1/transcripts?harness=codex", b"", content_type="text/plain", headers={"Stash-Session": header}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_session")
