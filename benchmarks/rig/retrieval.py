"""Question sets, told to the product as sessions and asked of its search."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rest_framework.test import APIClient

HEAD = ["questions", "asked", "hit@1", "hit@5", "recall@5", "event@5", "event MRR", "by meaning"]
_DEEP = 10
_PATIENCE_MS = 2_000
"""How good answers are is measured here, not whether a busy machine gives them in time."""
Place = tuple[str, int]
"""A session and the number of an event there."""


@dataclass
class Told:
    """One memory and what is asked of it: (question, right sessions, right events)."""

    team: str
    questions: list[tuple[str, set[str], set[Place]]] = field(default_factory=list)


def measure(which: str, folder: str, without: Sequence[str]) -> dict[str, Any]:
    from django.conf import settings

    from stash.recall.indexer import Indexer

    memories = list(SETS[which](Path(folder)))
    Indexer().run_out()
    settings.EMBEDDING_WAIT_MS = _PATIENCE_MS
    with _reading_for_meaning():
        rows = [_row("as it is", memories, None)]
        rows += [_row(f"without {stage}", memories, stage) for stage in without]
    return {"head": HEAD, "rows": rows, "about": f"{sum(len(one.questions) for one in memories)} questions"}


@contextmanager
def _reading_for_meaning() -> Iterator[None]:
    """The process of the product, from when it has read everything."""
    from stash.vectors.selectors import read

    manage = Path(__file__).resolve().parent.parent.parent / "manage.py"
    process = subprocess.Popen([sys.executable, str(manage), "embed"])
    try:
        while not (known := read()) or any(one.waiting or not one.complete for one in known):
            assert process.poll() is None, "The process with the models ended."
            time.sleep(0.5)
        yield
    finally:
        process.terminate()
        process.wait(30)


def _row(name: str, memories: Sequence[Told], stage: str | None) -> list[Any]:
    asked = 0
    sums = [0.0] * 6
    for memory in memories:
        ask = _asker(memory.team, stage)
        for question, sessions, events in memory.questions:
            asked += 1
            found, by_meaning = ask(question, "session")
            places, _ = ask(question, "none")
            first = [session for session, _ in found]
            sums[0] += bool(set(first[:1]) & sessions)
            sums[1] += bool(set(first[:5]) & sessions)
            sums[2] += sessions <= set(first[:5])
            sums[3] += bool(set(places[:5]) & events)
            sums[5] += by_meaning
            sums[4] += next((1 / place for place, one in enumerate(places, 1) if one in events), 0.0)
    return [name, str(asked), *(f"{100 * total / asked:.1f}" for total in sums)]


def _asker(team: str, stage: str | None) -> Callable[[str, str], tuple[list[Place], bool]]:
    """Through the API; with a stage switched off through the function that the API calls."""
    if stage is None:
        api = _api(team)

        def over_http(question: str, group: str) -> tuple[list[Place], bool]:
            answer = api.get("/api/v1/search", {"q": question, "group": group, "limit": _DEEP})
            assert answer.status_code == 200, answer.content
            found = answer.json()
            return [(one["session"], one["event"]) for one in found["results"]], found["mode"] != "words"

        return over_http
    settings = _settings(stage)

    def directly(question: str, group: str) -> tuple[list[Place], bool]:
        from stash.recall.searching import search

        found = search(_actor(team), question, group=group, limit=_DEEP, settings=settings)
        return [(str(hit.session.pk), hit.units[0].event.number) for hit in found.hits], found.by_meaning

    return directly


def _settings(stage: str) -> Any:
    from stash.recall.candidates import NoMeaning
    from stash.recall.searching import Settings
    from stash.search.ranking import Weights

    usual = Settings()
    if stage == "meaning":
        return replace(usual, meaning=NoMeaning)
    if stage == "window":
        return replace(usual, weights=Weights(own=1.0, window=0.0))
    return replace(usual, **{stage: False})


def _key(team: str) -> Any:
    from accounts.models import ApiKey

    return ApiKey.objects.select_related("membership__user", "membership__team", "machine").get(
        membership__team__slug=team
    )


def _actor(team: str) -> Any:
    from accounts.authentication import actor_of_key

    return actor_of_key(_key(team))


def actor_named(username: str) -> Any:
    from accounts.authentication import actor_of_key
    from accounts.models import ApiKey

    keys = ApiKey.objects.select_related("membership__user", "membership__team", "machine")
    return actor_of_key(keys.get(membership__user__username=username))


def _api(team: str) -> APIClient:
    client = APIClient(headers={"host": "localhost"})
    client.credentials(HTTP_AUTHORIZATION=f"Bearer stash_bench_{team}")
    return client


def _make_team(slug: str) -> None:
    from accounts.authentication import digest_of
    from accounts.models import ApiKey, Connection, Membership, Team, User

    user = User.objects.create_user(f"asker-{slug}", None, None)
    membership = Membership.objects.create(team=Team.objects.create(slug=slug, name=slug), user=user, role="owner")
    secret = f"stash_bench_{slug}"
    scopes = ["capture", "read", "write"]
    ApiKey.objects.create(membership=membership, name="b", digest=digest_of(secret), last4=slug[-4:], scopes=scopes)
    Connection.objects.create(membership=membership, project=None, visibility="project")


def _tell(team: str, native_id: str, start: datetime, events: list[dict[str, Any]]) -> str:
    for number, event in enumerate(events):
        event |= {"uid": f"{team} {native_id} {number}", "n": number + 1, "message_id": f"m{number}"}
        event["occurred_at"] = (start + timedelta(minutes=number)).isoformat()
    session = {
        "harness": "claude-code",
        "native_id": native_id,
        "project": {"identities": [f"git.example.test/{team}/it"]},
    }
    answer = _api(team).post("/api/v1/events", {"session": session, "events": events}, format="json")
    assert answer.status_code == 200, answer.content
    assert answer.json()["accepted"] == len(events), answer.content
    return str(answer.json()["session"])


def _locomo(folder: Path) -> Iterator[Told]:
    """Every conversation is a team of its own; one speaker prompts, the other replies."""
    for number, item in enumerate(json.loads((folder / "locomo_dev.json").read_text())):
        told = Told(f"locomo-{number}")
        _make_team(told.team)
        talk, ids = item["conversation"], {}
        for name in sorted((key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])):
            start = _day(talk.get(f"{name}_date_time", ""))
            kinds = {talk["speaker_a"]: "prompt", talk["speaker_b"]: "reply"}
            turns = [
                {"kind": kinds[turn["speaker"]], "text": f"{turn['speaker']}: {turn.get('text') or ''}"}
                for turn in talk[name]
            ]
            ids[name[8:]] = _tell(told.team, name, start, turns)
        places = {
            turn["dia_id"]: (ids[name[8:]], number)
            for name in talk
            if re.fullmatch(r"session_\d+", name)
            for number, turn in enumerate(talk[name], 1)
        }
        for question in item["qa"]:
            evidence = re.findall(r"D(\d+):(\d+)", str(question.get("evidence")))
            if evidence:
                sessions = {ids[session] for session, _ in evidence if session in ids}
                events = {places[at] for one in evidence if (at := f"D{one[0]}:{one[1]}") in places}
                told.questions.append((question["question"], sessions, events))
        yield told


def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return datetime(2023, 1, 1, tzinfo=UTC)


def _coding(folder: Path) -> Iterator[Told]:
    told, ids = Told("coding"), {}
    _make_team(told.team)
    for session in json.loads((folder / "coding_sessions.json").read_text()):
        start = datetime.fromisoformat(session["date"]).replace(tzinfo=UTC)
        ids[session["id"]] = _tell(told.team, session["id"], start, [_coding_event(one) for one in session["events"]])
    for line in (folder / "coding_dev.jsonl").read_text().splitlines():
        item = json.loads(line)
        session = ids[item["session"]]
        place = session, int(item["event"].split(":")[1]) + 1
        told.questions.append((item["query"], {session}, {place}))
    yield told


def _coding_event(event: dict[str, str]) -> dict[str, Any]:
    if event["role"].startswith("tool"):
        return {"kind": "tool_call", "name": "Bash", "family": "shell", "output": event["text"]}
    return {"kind": "prompt" if event["role"] == "user" else "reply", "text": event["text"]}


SETS: dict[str, Callable[[Path], Iterator[Told]]] = {"locomo": _locomo, "coding": _coding}
