"""Real payloads, lines and rows with a value in them replaced by anything: nothing raises, the rest is read."""

import json
import random
import shutil
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stash_client.events import KINDS, to_wire
from stash_client.harnesses import HARNESSES, parse_hook, read_transcript, session_told
from tests.client.harnesses.stories import CASES, SAMPLES, events

NAMES = ("gemini-cli", "opencode", "openclaw", "hermes", "copilot-cli", "kiro")
PAYLOADS = [(name, path) for name in NAMES for path in sorted((SAMPLES / name).glob("**/*.json"))]
FILES = [
    *((name, path) for name in NAMES for path in sorted((SAMPLES / name).glob("**/*.jsonl"))),
    ("opencode", CASES / "T11.opencode-events.jsonl"),
]
DATABASES = {"opencode": "opencode.db", "openclaw": "openclaw-agent.sqlite", "hermes": "state.db"}
ODD = [
    None, True, -1, 10**20, 1e300, "", "x", "\udc9f\0", [], {}, [None], [[]], ["x", 1], {"type": "text"}, {"id": {}},
    [{"type": "text", "text": 5}], "{", '{"a": [', "[]", {"text": {"text": []}}, "a/b", "../../etc/passwd",
]  # fmt: skip
_odd = st.sampled_from(ODD) | st.text(max_size=6)


def places(value, path=()):
    """Every place in a value, as keys from the top."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def with_odd(value, path, odd):
    if not path:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_odd(value[path[0]], path[1:], odd)
    return copy


def mutated(value, chances):
    for chance, odd in chances:
        found = list(places(value))
        value = with_odd(value, found[chance % len(found)], odd)
    return value


_chances = st.lists(st.tuples(st.integers(0, 10_000), _odd), min_size=1, max_size=3)


def check(batches):
    for batch in batches:
        assert isinstance(batch.session.native_id, str)
        assert batch.session.native_id
        for event in batch.events:
            assert KINDS[event.kind] is type(event)
            wire = to_wire(event)
            json.dumps(wire)
            for name in (
                "text",
                "name",
                "turn_id",
                "message_id",
                "call_id",
                "occurred_at",
                "output",
                "diff",
                "agent_id",
            ):
                assert wire.get(name) is None or isinstance(wire[name], str), (name, wire)
            for name in ("exit_code", "duration_ms", "tokens_before", "tokens_after", "n"):
                assert wire.get(name) is None or isinstance(wire[name], int), (name, wire)


def event_of(path):
    return path.stem.removeprefix("hook.") if path.stem.startswith("hook.") else path.stem.partition(".")[0]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PAYLOADS), _chances)
def test_no_payload_raises(sample, chances):
    harness, path = sample
    body = mutated(json.loads(path.read_text(encoding="utf-8")), chances)
    check(parse_hook(harness, body, event=event_of(path), on_its_machine=True))
    if isinstance(body, dict):
        assert session_told(harness, body, event=event_of(path)).native_id


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FILES), st.integers(0, 1000), _chances)
def test_no_line_raises(sample, which, chances):
    harness, path = sample
    lines = path.read_bytes().splitlines()
    which %= len(lines)
    lines[which] = json.dumps(mutated(json.loads(lines[which]), chances)).encode()
    check(read_transcript(harness, lines, native_id="s", limit=5))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([(name, path) for name, path in FILES if name != "hermes"]), st.integers(0, 1000))
def test_a_line_that_breaks_off_takes_nothing_with_it(sample, which):
    """But for what it alone could say: its blocks, a call's name, a message's role. (Hermes: whole sessions.)"""
    harness, path = sample
    lines = path.read_bytes().splitlines()
    which %= len(lines)
    whole = len(events(read_transcript(harness, lines, native_id="s")))
    lines[which] = lines[which][: len(lines[which]) // 2]
    read = read_transcript(harness, lines, native_id="s")
    lost = whole - len(events(read))
    assert lost <= 6
    assert read.skipped["not JSON"] == 1


@pytest.mark.parametrize("harness", DATABASES)
def test_no_cell_of_a_database_raises(harness, tmp_path):
    source = next(source for source in HARNESSES[harness].sources if source.kind == "sqlite")
    dice = random.Random(7)
    for n in range(60):
        path = tmp_path / f"{n}.db"
        shutil.copy(SAMPLES / harness / DATABASES[harness], path)
        with closing(sqlite3.connect(path)) as database, database:
            spoil(database, dice)
        for read in source.read(str(path)):
            check(read)


def spoil(database, dice):
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    table = dice.choice(tables)
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    value = dice.choice([None, -1, 2**62, 1.5, "", "x", b"\xff\x00", "[]", "{", '{"role": 5}', '{"type": []}', "null"])
    try:
        row = f"SELECT rowid FROM {table} ORDER BY random() LIMIT 1"
        database.execute(f'UPDATE {table} SET "{dice.choice(columns)}" = ? WHERE rowid IN ({row})', (value,))
    except sqlite3.Error:
        pass  # it guards itself against this one
