"""The same story told by hooks and by the transcript, twice, shuffled, in parallel: each moment is stored once."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection as database

from sessions_app.models import Event, Session
from stash_client.events import Batch, ProjectRef, to_wire
from stash_client.harnesses import HARNESSES as HARNESS_OF
from stash_client.harnesses import parse_hook, read_transcript
from stash_client.ids import hook_uid
from tests.client.harnesses.stories import CASES, case_lines, store_after

SAMPLES = Path(__file__).parent.parent / "harness_samples"
PROJECT = ProjectRef(("git.example.test/acme/shop",))
HARNESSES = (
    "claude-code", "codex", "cursor", "droid", "kimi-code", "grok", "command-code", "crush", "gemini-cli", "opencode",
    "openclaw", "hermes", "copilot-cli", "kiro",
)  # fmt: skip
GIVEN = {
    "cursor": "040708d4-78ab-4f87-a613-f68954f08c9b",
    "kimi-code": "13e871bc-e30e-4509-a987-abd66bb81e35",
    "grok": "36e0a2b8-ccbd-4df9-a472-586e0e90d327",
    "kiro": "7b48af57-e566-4d2c-a48a-c28bb3e5a18b",
    "gemini-cli": "47e6d9f6-54b3-43ee-ad61-72e519a94d39",
}
"""Their files do not say whose they are; their folders do."""


LEFT_OUT = {
    "settings-sidecar", "state", "summary", "UserPromptSubmit.string", "legacy-session", "agentSpawn.no_session_id",
}  # fmt: skip
"""What is no payload, and the same prompt in another form."""


def event_of(path: Path) -> str:
    """For agents whose payloads do not name it: what the hook was called with."""
    name = path.stem.removeprefix("hook.")
    return name.removesuffix(".secret") if path.stem.startswith("hook.") else name.partition(".")[0]


def hooks(harness: str) -> list[Batch]:
    """Every hook sample as the sender would post it: one batch per payload, delivery ids from its record."""
    batches = []
    folder = SAMPLES / harness / ("v2" if harness == "kiro" else "")
    payloads = [path for path in sorted(folder.glob("*.json")) if path.stem not in LEFT_OUT]
    for n, path in enumerate(payloads):
        at = f"2026-11-24T09:{15 + n % 40:02}:00Z"
        for batch in parse_hook(harness, path.read_bytes(), event=event_of(path), occurred_at=at, n=n):
            events = tuple(
                replace(event, uid=hook_uid("m1", path.name, index)) for index, event in enumerate(batch.events)
            )
            batches.append(Batch(replace(batch.session, project=PROJECT), events))
    return batches


def transcripts(harness: str) -> list[Batch]:
    """The transcript and those of its subagents."""
    batches: list[Batch] = []
    root = SAMPLES / harness
    for path in [root / "transcript.jsonl", *sorted(root.glob("subagents/*.jsonl"))]:
        native_id = GIVEN.get(harness)
        if native_id and path.name != "transcript.jsonl":
            native_id = f"{native_id}/{path.stem}"
        with path.open("rb") as lines:
            for batch in read_transcript(harness, lines, native_id=native_id):
                batches.append(replace(batch, session=replace(batch.session, project=PROJECT)))
    return batches


def post(person, batch: Batch, origin: str) -> None:
    body = {"session": to_wire(batch.session), "events": [to_wire(e) for e in batch.events], "origin": origin}
    answer = person.api.post("/api/v1/events", json.dumps(body), content_type="application/json")
    assert answer.status_code == 200, answer.content
    assert answer.json()["rejected"] == []


def told() -> Counter:
    """How often each nameable moment is stored, by session and what identifies it to a person."""
    seen: Counter = Counter()
    for event in Event.objects.select_related("session"):
        if event.kind == "tool_call" and event.call_id:
            seen[event.session.native_id, "call", event.call_id] += 1
        elif event.kind in ("prompt", "reply"):
            seen[event.session.native_id, event.kind, " ".join(event.text.split())] += 1
    return seen


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("harness", HARNESSES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_story_twice_shuffled_in_parallel_is_told_once(dana, shop, harness, seed):
    parts = [(batch, "hook") for batch in hooks(harness)] + [(batch, "transcript") for batch in transcripts(harness)]
    work = parts * 2
    random.Random(seed).shuffle(work)
    failures: list[BaseException] = []

    def worker(mine) -> None:
        try:
            for batch, origin in mine:
                post(dana, batch, origin)
        except BaseException as error:
            failures.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=worker, args=[work[i::4]]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failures
    doubled = {moment: times for moment, times in told().items() if times > 1}
    assert not doubled
    sessions = list(Session.objects.all())
    assert {(s.person_id, s.project_id, s.harness) for s in sessions} == {(dana.user.pk, shop.pk, harness)}
    for session in sessions:
        numbers = list(Event.objects.filter(session=session).order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, session.events + 1))


@pytest.mark.django_db
@pytest.mark.parametrize("harness", HARNESSES)
def test_story_told_by_both_has_each_prompt_once_in_order(dana, shop, harness):
    for batch in hooks(harness):
        post(dana, batch, "hook")
    for batch in transcripts(harness):
        post(dana, batch, "transcript")

    main = Session.objects.get(parent__isnull=True, native_id=transcripts(harness)[0].session.native_id)
    prompts = Event.objects.filter(session=main, kind="prompt").order_by("occurred_at", "n", "number")
    texts = [" ".join(text.split()) for text in prompts.values_list("text", flat=True)]
    assert len(texts) == len(set(texts)) >= 3
    assert main.prompts == len(texts)
    assert main.title_source == "harness" or any(text.startswith(main.title.rstrip("…")) for text in texts)


@pytest.mark.django_db
@pytest.mark.parametrize("harness", ["droid", "grok", "crush", "gemini-cli", "copilot-cli", "kiro"])
@pytest.mark.parametrize("transcript_first", [False, True])
def test_calls_whose_hooks_have_no_ids_are_known_by_what_they_did(dana, shop, harness, transcript_first):
    parts = [(hooks(harness), "hook"), (transcripts(harness), "transcript")]
    for batches, origin in reversed(parts) if transcript_first else parts:
        for batch in batches:
            post(dana, batch, origin)

    calls = [event for batch in transcripts(harness) for event in batch.events if event.kind == "tool_call"]
    # The samples of servers' tools stand beside the story.
    assert Event.objects.filter(kind="tool_call").exclude(family="mcp").count() == len(calls)


@pytest.mark.django_db
@pytest.mark.parametrize("imported_first", [False, True])
def test_streamed_and_repeated_events_are_told_once_live_and_imported(
    dana, shop, tmp_path, monkeypatch, imported_first
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = store_after("T11.opencode-events.jsonl", tmp_path)
    typed = {"type": "text", "text": "rename the column"}
    message = {"input": {"sessionID": "ses_1", "messageID": "msg_1"}, "output": {"parts": [typed]}}
    calls = [("chat.message", message), *((None, body) for body in case_lines("T11.opencode-events.jsonl"))]

    def live() -> None:
        for n, (event, body) in enumerate(calls):
            at = f"2026-10-01T09:00:{n:02}Z"
            for batch in parse_hook("opencode", body, event=event, occurred_at=at, n=n, on_its_machine=True):
                told = tuple(replace(e, uid=hook_uid("m1", f"{n}", i)) for i, e in enumerate(batch.events))
                post(dana, Batch(replace(batch.session, project=PROJECT), told), "hook")

    def imported() -> None:
        for source in HARNESS_OF["opencode"].sources:
            for batch in (batch for file in source.files() for read in source.read(file) for batch in read):
                post(dana, replace(batch, session=replace(batch.session, project=PROJECT)), "transcript")

    for tell in (imported, live) if imported_first else (live, imported):
        tell()

    want = json.loads((CASES / "T11.expected.json").read_text())
    assert path.exists()
    assert Session.objects.count() == want["sessions"]
    kinds = Counter(Event.objects.values_list("kind", flat=True))
    assert (kinds["prompt"], kinds["tool_call"], kinds["turn_end"]) == (want["prompts"], len(want["tool_calls"]), 1)
    assert list(Event.objects.filter(kind="reply").values_list("text", flat=True)) == want["answers"]
