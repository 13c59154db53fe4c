"""Pipes, exit codes, redirections, budgets: how command lines behave."""

from __future__ import annotations

import pytest

from stash.vfs.budget import Budget
from stash.vfs.shell.running import run_in
from stash.vfs.tree import Reader
from tests.vfs.pages import NOBODY, Pages, over

PAGES = {"/a.txt": "one\ntwo\nthree\n", "/d/b.md": "two\nTwo\n", "/d/e/c.md": "three\n"}


@pytest.mark.parametrize(
    "line, stdout, code",
    [
        ("cat a.txt | head -n 1", "one\n", 0),
        ("false; echo $?", "1\n", 0),
        ("false && echo no || echo yes", "yes\n", 0),
        ("true || echo no; echo $?", "0\n", 0),
        ("grep -q two a.txt && echo found", "found\n", 0),
        ("cd d && ls && pwd", "b.md\ne\n/d\n", 0),
        ("cd d | cat; pwd", "/\n", 0),
        ("cat nope 2>/dev/null || echo gone", "gone\n", 0),
        ("cat nope 2>&1 | wc -l", "1\n", 0),
        ("cat nope a.txt >/dev/null 2>&1; echo $?", "1\n", 0),
        ("cat < a.txt | tail -1", "three\n", 0),
        ("ls */*.md", "d/b.md\n", 0),
        ("echo *.nothing '*.txt' [ab].txt", "*.nothing *.txt a.txt\n", 0),
        ("cd d/e; cat ../b.md; ls ../*.md", "two\nTwo\n../b.md\n", 0),
        ("find . -name '*.md' | xargs grep -l three", "./d/e/c.md\n", 0),
        ("ls d | xargs -I{} echo got {}", "got b.md\ngot e\n", 0),
        ("echo a b | xargs -n1 echo -", "- a\n- b\n", 0),
        ("find . -type f | xargs false", "", 123),
        ("rg two", "a.txt:two\nd/b.md:two\n", 0),
        ("rg -i two d -c", "d/b.md:2\n", 0),
        ("rg --files d", "d/b.md\nd/e/c.md\n", 0),
        ("rg three -g '!*.txt'", "d/e/c.md:three\n", 0),
        ("stat -c '%n %s %F' a.txt d", "a.txt 14 regular file\nd 0 directory\n", 0),
        ("tree d", "d\n├── b.md\n└── e\n    └── c.md\n\n1 directory, 2 files\n", 0),
        ("sort a.txt | uniq -c | sed -n '1p'", "      1 one\n", 0),
        ("cat a.txt | tee | wc -l", "3\n", 0),
        ("cut -c1-2 a.txt && echo done # a remark", "on\ntw\nth\ndone\n", 0),
    ],
)
def test_lines_do_what_a_shell_does(line, stdout, code):
    outcome = over(PAGES, line)
    assert (outcome.stdout.decode(), outcome.exit_code) == (stdout, code), outcome


@pytest.mark.parametrize(
    "line, code, said",
    [
        ("less a.txt", 127, "try cat or head"),
        ("gerp x a.txt", 127, "try grep"),
        ("nosuch", 127, "there are brief cat"),
        ("ls -Z", 2, "there are -l"),
        ("grep -Z x a.txt", 2, "there are -i"),
        ("head --frob a.txt", 1, "there are -q"),
        ("tail -f a.txt", 1, "nothing is followed"),
        ("sed s/a/b/ a.txt", 1, "sed -n"),
        ("find . -exec rm {} +", 1, "xargs"),
        ("echo x > a.txt", 1, "Read-only file system"),
        ("echo x >> new.txt", 1, "Read-only file system"),
        ("echo x | tee a.txt", 1, "Read-only file system"),
        ("cat d", 1, "Is a directory"),
        ("cat a.txt/", 1, "Not a directory"),
        ("cd a.txt", 1, "Not a directory"),
        ("ls nope", 2, "No such file"),
        ("rg x nope", 2, "No such file"),
        ("rg -t cobol x", 2, "there are md"),
        ("sort -k0 a.txt", 2, "count from 1"),
        ("cut a.txt", 1, "-b, -c or -f"),
        ("wc --frob", 1, "there are -l"),
    ],
)
def test_what_is_not_here_is_said_with_what_is(line, code, said):
    outcome = over(PAGES, line)
    assert outcome.exit_code == code, outcome
    assert said in outcome.stderr


def test_a_consumer_that_has_enough_stops_its_producer():
    reader = Reader(NOBODY)
    tree = Pages(reader, {"/long.txt": "line\n" * 10_000, "/z.txt": "line\n" * 10})
    assert run_in(tree, reader, "cat long.txt z.txt | grep line | head -n 3").stdout == b"line\n" * 3
    assert tree.nodes["long.txt"].read < 10
    assert run_in(tree, reader, "rg -q line").exit_code == 0
    assert tree.nodes["z.txt"].read == 0


def test_what_runs_out_of_budget_gives_what_it_found_and_says_so():
    pages = {f"/{n:03}.txt": "needle\n" * 20 for n in range(50)}
    for budget in (Budget(bytes=1000), Budget(seconds=0)):
        outcome = over(pages, "rg -c needle | sort", budget=budget)
        assert (outcome.truncated, outcome.exit_code) == (True, 124)
        assert "this is not all" in outcome.stderr
    assert 0 < over(pages, "rg -c needle | sort", budget=Budget(bytes=1000)).stdout.count(b"\n") < 50
    outcome = over(pages, "cat *.txt", budget=Budget(output=1000))
    assert (outcome.truncated, len(outcome.stdout)) == (True, 994)
    assert not over(pages, "cat *.txt | head -5", budget=Budget(output=1000)).truncated


def test_the_place_is_carried_from_one_line_to_the_next():
    first = over(PAGES, "cd d/e")
    assert first.cwd == "/d/e"
    assert over(PAGES, "cat c.md", cwd=first.cwd).stdout == b"three\n"
    assert over(PAGES, "pwd", cwd="/gone/../nowhere").stdout == b"/\n"
    assert over(PAGES, "cat ../../../../a.txt | head -1").stdout == b"one\n"


def test_bytes_that_are_no_text_stay_as_they_are():
    assert over({"/a": "é\n"}, "head -c 1 a").stdout == b"\xc3"
