"""Speed of the indexer and of search, beside FTS5 with the same words."""

from __future__ import annotations

import os
import random
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Func, IntegerField, Sum
from workload import sessions

_USUAL = 60
_SAMPLE = 20_000


def measure(events: int, questions: int) -> dict[str, Any]:
    from stash.recall.indexer import Indexer
    from stash.search.models import Page

    _fill(events)
    started = time.process_time()
    Indexer().run_out()
    rate = events / (time.process_time() - started)
    floor = sqlite3.connect(os.path.join(os.environ["STASH_DATA"], "floor.sqlite3"))
    known = _fill_floor(floor)
    size = Func(F("data"), function="LENGTH", output_field=IntegerField())
    asked = {kind: _asked(floor, some) for kind, some in _questions(known, questions).items()}
    return {
        "rate": rate,
        "asked": asked,
        "bytes": Page.objects.aggregate(total=Sum(size))["total"],
        "floor_bytes": floor.execute("SELECT SUM(LENGTH(block)) FROM words_data").fetchone()[0],
    }


def _fill(events: int) -> None:
    """Rows as capture would leave them, without its work."""
    from accounts.models import Membership, Project
    from sessions_app.models import Event, Session

    people = list(Membership.objects.order_by("joined_at"))
    project = Project.objects.create(team_id=people[0].team_id, slug="it", name="it")
    for number, made in enumerate(sessions(-(-events // _USUAL), _USUAL, seed=5)):
        wires = list(made)
        first, last = (datetime.fromisoformat(wires[at]["occurred_at"]) for at in (0, -1))
        owner = people[number % len(people)]
        session = Session.objects.create(
            team_id=owner.team_id, person_id=owner.user_id, project=project, visibility="project",
            harness=made.harness, native_id=made.native_id, title=wires[0]["text"][:80], started_at=first,
            last_event_at=last, status="ended", last_seq=len(wires), events=len(wires),
        )  # fmt: skip
        Event.objects.bulk_create(_rows(session, wires))


def _rows(session: Any, wires: Sequence[dict[str, Any]]) -> Iterator[Any]:
    from sessions_app.models import Event

    for number, wire in enumerate(wires, 1):
        yield Event(
            session=session, number=number, seq=number, uid=UUID(wire["uid"]), digest="", origins="h",
            kind=wire["kind"], occurred_at=datetime.fromisoformat(wire["occurred_at"]), n=number,
            text=wire.get("text", ""), name=wire.get("name", ""), family=wire.get("family", ""),
            output=wire.get("output"), ok=wire.get("ok"),
            body={name: wire[name] for name in ("input", "paths", "diff") if name in wire},
        )  # fmt: skip


def _fill_floor(floor: sqlite3.Connection) -> Counter[str]:
    """The same words; answers in how many of a sample of events each one stands."""
    from sessions_app.models import Event
    from stash.recall.units import FIELDS, KINDS, text_of
    from stash.search.tokens import tokens

    floor.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='')")
    known: Counter[str] = Counter()
    rows = Event.objects.filter(kind__in=KINDS).only(*FIELDS).order_by("pk")
    for at, event in enumerate(rows.iterator(chunk_size=500)):
        words = tokens(text_of(event))
        floor.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (event.pk, " ".join(words)))
        if at < _SAMPLE:
            known.update(set(words))
    floor.commit()
    return known


def _questions(known: Counter[str], count: int) -> dict[str, list[list[str]]]:
    from stash.search.tokens import tokens

    rng = random.Random(3)
    plain = {word: df for word, df in known.items() if word.isalpha() and word.isascii() and tokens(word) == [word]}
    rare = sorted(word for word, df in plain.items() if 3 <= df <= 40)
    usual = sorted(word for word, df in plain.items() if df > 40)
    weights = [plain[word] for word in usual]
    common = sorted(plain, key=lambda word: (-plain[word], word))[: max(count, 20)]
    return {
        "three rare words": [rng.sample(rare, 3) for _ in range(count)],
        "one of the commonest": [[word] for word in common[:count]],
        "eight words": [list(dict.fromkeys(rng.choices(usual, weights, k=8))) for _ in range(count)],
    }


def _asked(floor: sqlite3.Connection, questions: Sequence[Sequence[str]]) -> dict[str, float]:
    from rig.retrieval import actor_named
    from stash.recall.searching import search
    from stash.search import reading

    actor = actor_named("person1")

    def ours(words: Sequence[str]) -> list[str]:
        return [str(hit.session.pk) for hit in search(actor, " ".join(words)).hits]

    def bare(words: Sequence[str]) -> list[Any]:
        asked = " OR ".join(f'"{word}"' for word in words)
        return floor.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 200", (asked,)).fetchall()

    ours(questions[0])
    found, times, cpu = _timed(ours, questions)
    _, floor_times, floor_cpu = _timed(bare, questions)
    usual, reading.BUDGET = reading.BUDGET, 10**9
    whole, _, _ = _timed(ours, questions)
    reading.BUDGET = usual
    same = [len(set(a[:5]) & set(b[:5])) / len(b[:5]) for a, b in zip(found, whole, strict=True) if b]
    return {
        "p50": statistics.median(times), "p99": _p99(times), "cpu": cpu, "same": statistics.mean(same or [1.0]),
        "floor_p50": statistics.median(floor_times), "floor_p99": _p99(floor_times), "floor_cpu": floor_cpu,
    }  # fmt: skip


def _timed(
    ask: Callable[[Sequence[str]], Any], questions: Sequence[Sequence[str]]
) -> tuple[list[Any], list[float], float]:
    found, times, before = [], [], time.process_time()
    for words in questions:
        started = time.perf_counter()
        found.append(ask(words))
        times.append((time.perf_counter() - started) * 1000)
    return found, times, time.process_time() - before


def _p99(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) - 1, round(0.99 * len(times)))]


def fuzz(secret: str, count: int) -> dict[str, Any]:
    """Random bytes, and pieces of the query language thrown together."""
    from rest_framework.test import APIClient

    from stash.recall.indexer import Indexer

    _fill(600)
    Indexer().run_out()
    api = APIClient(headers={"host": "localhost"}, raise_request_exception=False)
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    rng, other, times = random.Random(11), 0, []
    for _ in range(count):
        started = time.perf_counter()
        other += api.get("/api/v1/search", {"q": _anything(rng)}).status_code != 200
        times.append((time.perf_counter() - started) * 1000)
    return {"other": other, "p50": statistics.median(times), "slowest": max(times)}


def _anything(rng: random.Random) -> str:
    if rng.random() < 0.5:
        return rng.randbytes(rng.randint(0, 200)).decode("utf-8", rng.choice(["replace", "ignore"]))
    pieces = [
        "since:",
        "until:",
        "is:",
        "kind:",
        "by:",
        "project:",
        "file:",
        "pr:",
        "commit:",
        '"',
        "-",
        "error",
        "2026-",
        "\\0",
    ]
    return "".join(rng.choice([*pieces, " ", chr(rng.randint(1, 0xD7FF))]) for _ in range(rng.randint(1, 25)))
