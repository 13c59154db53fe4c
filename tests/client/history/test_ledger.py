"""A file is imported once, until it grows, for each place in it."""

from __future__ import annotations

from dataclasses import replace

from stash_client.history.finding import Found
from stash_client.history.ledger import Ledger

FILE = Found("claude-code", 0, "/home/dana/.claude/projects/x/a.jsonl", 900, 1_700_000_000_000_000_000)


def test_a_finished_file_is_known_next_time(tmp_path):
    Ledger(tmp_path / "imported.jsonl").finished(FILE, ["/src/shop/.git"])
    again = Ledger(tmp_path / "imported.jsonl")
    assert again.has(FILE, "/src/shop/.git")
    assert not again.has(FILE, "/src/blog/.git")
    assert not again.has(replace(FILE, size=901), "/src/shop/.git")
    assert not again.has(replace(FILE, mtime_ns=1), "/src/shop/.git")


def test_places_of_one_file_add_up_while_it_is_the_same(tmp_path):
    ledger = Ledger(tmp_path / "imported.jsonl")
    ledger.finished(FILE, ["a"])
    ledger.finished(FILE, ["b"])
    assert ledger.has(FILE, "a")
    assert ledger.has(FILE, "b")
    grown = replace(FILE, size=1000)
    ledger.finished(grown, ["b"])
    assert not ledger.has(grown, "a")


def test_a_line_cut_by_a_crash_costs_only_itself(tmp_path):
    path = tmp_path / "imported.jsonl"
    Ledger(path).finished(FILE, ["a"])
    path.write_bytes(path.read_bytes() + b'{"v": 1, "path": "/b.js\n[]\n')
    assert Ledger(path).has(FILE, "a")


def test_only_its_person_reads_it(tmp_path):
    Ledger(tmp_path / "imported.jsonl").finished(FILE, ["a"])
    assert (tmp_path / "imported.jsonl").stat().st_mode & 0o777 == 0o600
