# ruff: noqa: E501 - tables read better than columns
"""What went wrong elsewhere: patterns that were not understood, scripts without spaces."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.vfs.pages import over

CASES = Path(__file__).resolve().parents[1] / "cases"
V01 = json.loads((CASES / "V01.grep.json").read_text())
E03 = json.loads((CASES / "E03.cjk.json").read_text())
PAGES = V01["pages"]
LONG = {**PAGES, "/wiki/long.md": "a" * 5000 + "!\n"}
_WANT = {
    'grep -ri "descaling\\|gasket" /wiki': (0, 3),
    'grep -riE "descaling|gasket" /wiki': (0, 3),
    'grep -rE "kettle|oven" /wiki': (1, 0),
    'grep -F "A|B" /wiki/kitchen/oven.md': (0, 1),
    'grep "A|B" /wiki/kitchen/oven.md': (0, 1),
    "grep -r nothinghere /wiki": (1, 0),
    "grep -r x /no/such": (2, 0),
    "grep --no-such-flag x /wiki": (2, 0),
    'grep "(" /wiki/kitchen/oven.md': (1, 0),
    "grep -rn -A 2 -B 1 -i oven /wiki | head -n 3": (0, 2),
    'rg -n "a{100000}" /wiki': (2, 0),
    'grep -rE "(a+)+$" /wiki': (1, 0),
    "grep -c gasket /wiki/kitchen/*.md; echo $?": (0, 3),
}


@pytest.mark.parametrize("command", [case["cmd"] for case in V01["run"]])
def test_grep_answers_as_grep_does_or_says_why_not(command):
    code, lines = _WANT[command]
    began = time.monotonic()
    outcome = over(LONG if "a" in command and "+" in command else PAGES, command)
    assert (outcome.exit_code, outcome.stdout.count(b"\n")) == (code, lines), outcome
    assert bool(outcome.stderr) == (code == 2)
    assert "Traceback" not in outcome.stderr
    assert time.monotonic() - began < 5


def test_counts_come_for_each_file_and_then_the_status():
    told = over(PAGES, "grep -c gasket /wiki/kitchen/*.md; echo $?").stdout.decode()
    assert told == "/wiki/kitchen/kettle.md:1\n/wiki/kitchen/oven.md:1\n0\n"


def test_a_pattern_that_is_not_understood_is_never_nothing():
    for command in (r"grep '\(a\)\1' /wiki/kitchen/oven.md", "rg '(?=gasket)' /wiki", r"grep -E '\d+' /wiki/kitchen/oven.md",
                    "rg '[a&&b]' /wiki", "rg 'a(' /wiki", "grep '[[:foo:]]' /wiki/kitchen/oven.md", "rg -U x /wiki"):  # fmt: skip
        outcome = over(PAGES, command)
        assert (outcome.exit_code, outcome.stdout) == (2, b""), command
        assert outcome.stderr, command


# Accents count in grep, here as everywhere: "resume" finds résumé in search only.
@pytest.mark.parametrize("case", [case for case in E03["queries"] if case["q"] != "resume"], ids=lambda case: case["q"])
@pytest.mark.parametrize("tool", ["grep -rli", "rg -li", "rg -liF"])
def test_text_without_spaces_and_in_other_forms_is_found(case, tool):
    pages = {f"/{doc['id']}.md": "\n".join([doc["body"], *doc.get("tags", [])]) + "\n" for doc in E03["docs"]}
    for word in case["q"].removeprefix("tag:").split():
        found = over(pages, f"{tool} -e '{word}' /").stdout.decode().split()
        assert f"/{case['hit']}.md" in found


def test_words_are_words_of_every_script():
    pages = {"/a.md": "naïve über x\nпривет мир\nnaïveté\n"}
    assert over(pages, r"rg -o '\bна\w*|\bпр\w+\b' /a.md").stdout.decode() == "привет\n"
    assert over(pages, r"rg -c '\bnaïve\b' /a.md").stdout == b"1\n"
    assert over(pages, r"rg -cw 'naïve' /a.md").stdout == b"1\n"
    assert over(pages, r"rg -o '\bü\w+' /a.md").stdout.decode() == "über\n"
    assert over(pages, r"grep -c '\<мир\>' /a.md").stdout == b"1\n"
