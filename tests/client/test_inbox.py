"""Records are whole, ordered, bounded, and nobody else's."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash_client import home, inbox


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def age(path, seconds: float) -> None:
    then = time.time_ns() - int(seconds * 1e9)
    os.utime(path, ns=(then, then))


def test_put_and_read_give_the_same(settings):
    headers = {"harness": "claude-code", "event": "Stop", "cwd": "/w/shop = é", "memory": "off"}
    path = inbox.put(headers, b'{"a": 1}\n\nb=2\n')
    record = inbox.read(path)
    assert (record.headers, record.payload) == (headers, b'{"a": 1}\n\nb=2\n')
    assert (record.harness, record.event, record.cwd) == ("claude-code", "Stop", "/w/shop = é")
    assert record.mtime_ns == path.stat().st_mtime_ns
    assert [(p.stat().st_mode & 0o777) for p in (settings, path.parent, path)] == [0o700, 0o700, 0o600]


_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=()), max_size=40)


@given(cwd=_TEXT, payload=st.binary(max_size=200))
def test_no_folder_name_or_payload_can_pretend_to_be_a_header(tmp_path_factory, cwd, payload):
    """A folder name with a line break is left out rather than written as a line of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STASH_HOME", str(tmp_path_factory.mktemp("home")))
        cwd = cwd.encode("utf-8", "ignore").decode()
        record = inbox.read(inbox.put({"harness": "codex", "cwd": cwd}, payload))
    kept = {"cwd": cwd} if cwd and "\n" not in cwd and "\r" not in cwd else {}
    assert record.headers == {"harness": "codex", **kept}
    assert record.payload == payload


def test_key_differs_when_a_name_comes_again():
    path = inbox.put({"harness": "codex"}, b"one")
    first = inbox.read(path)
    path.unlink()
    again = path.with_name(path.name)
    again.write_bytes(b"harness=codex\n\ntwo")
    os.utime(again, ns=(first.mtime_ns + 1, first.mtime_ns + 1))
    second = inbox.read(again)
    assert (first.name, first.key) != (second.name, second.key)
    assert first.name == second.name


def test_records_are_oldest_first_and_by_process_where_the_clock_is_too_coarse():
    at = {"codex--9-30": 2, "codex--9-4": 2, "cursor--1-1": 3, "claude_code-Stop-8-9": 1}
    for name, when in at.items():
        path = inbox.folder() / name
        path.write_bytes(b"harness=x\n\n")
        os.utime(path, ns=(when, when))
    assert [path.name for path in inbox.records()] == [
        "claude_code-Stop-8-9",
        "codex--9-4",
        "codex--9-30",
        "cursor--1-1",
    ]


def test_records_looks_without_making_anything(settings):
    assert list(inbox.records()) == []
    assert not settings.exists()


@pytest.mark.parametrize("content", [b"", b"\n\n", b"event=Stop\n\n{}", b"harness=x", b"\0" * 100_000])
def test_read_refuses_what_is_no_record(content):
    path = inbox.folder() / "x"
    path.write_bytes(content)
    with pytest.raises(ValueError):
        inbox.read(path)


def test_tidy_drops_the_biggest_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(inbox, "MOST_RECORDS", 3)
    for size in (10, 2000, 10, 1000, 10):
        inbox.put({"harness": "codex"}, b"x" * size)
    assert inbox.tidy() == 2
    assert [len(inbox.read(path).payload) for path in inbox.records()] == [10, 10, 10]
    assert "2 of the biggest" in (home.folder() / "fault.txt").read_text()


def test_tidy_drops_the_biggest_when_they_are_too_large(monkeypatch):
    monkeypatch.setattr(inbox, "MOST_TOTAL", 1500)
    for size in (100, 1400, 200):
        inbox.put({"harness": "codex"}, b"x" * size)
    assert inbox.tidy() == 1
    assert [len(inbox.read(path).payload) for path in inbox.records()] == [100, 200]


def test_tidy_takes_away_what_a_killed_hook_left_and_old_unread_ones():
    keep, abandoned, unread, long_unread = (inbox.folder() / n for n in (".a", ".b", ".unread-c", ".unread-d"))
    for path in (keep, abandoned, unread, long_unread):
        path.write_bytes(b"{")
    age(abandoned, 3600)
    age(unread, 3600)
    age(long_unread, 8 * 24 * 3600)
    assert inbox.tidy() == 0
    assert sorted(path.name for path in inbox.folder().iterdir()) == [".a", ".unread-c"]


def test_set_aside_keeps_it_under_no_records_name():
    path = inbox.put({"harness": "codex"}, b"?")
    inbox.set_aside(path, "why")
    assert list(inbox.records()) == []
    assert (path.parent / f".unread-{path.name}").exists()
    assert (home.folder() / "fault.txt").read_text() == "why"
