# ruff: noqa: E501 - tables read better than columns
"""Lines as the shell reads them; what it would do and we do not is refused by name."""

from __future__ import annotations

import shlex
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash.vfs.errors import GrammarError
from stash.vfs.shell.grammar import parse
from tests.vfs.pages import over


def words(line: str) -> list[str]:
    [step] = parse(line)
    [command] = step.pipeline
    return ["".join(piece.text for piece in word) for word in command.words]


@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20), min_size=1
    )
)
def test_what_is_quoted_comes_back_as_it_was(given_):
    assert words(shlex.join(["x", *given_])) == ["x", *given_]


@pytest.mark.parametrize(
    "line, expected",
    [
        (r"a\ b 'c d'e\"f", ["a b", 'c de"f']),
        (r'"a\"b\\c\d"', [r'a"b\c\d']),
        ("a#b # comment", ["a#b"]),
        ("x 'a$b`c' \"cost: 5$\" foo$", ["x", "a$b`c", "cost: 5$", "foo$"]),
        ("a \\\n b", ["a", "b"]),
        ("x '' \"\"", ["x", "", ""]),
        ("find -I{} {}", ["find", "-I{}", "{}"]),
    ],
)
def test_words(line, expected):
    assert words(line) == expected


def test_lists_and_pipelines():
    steps = parse("a | b && c || d; e\nf")
    assert [(step.joint, len(step.pipeline)) for step in steps] == [
        (";", 2), ("&&", 1), ("||", 1), (";", 1), (";", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["echo $HOME", 'echo "$x"', "echo `ls`", 'echo "`ls`"', "echo $(ls)", "(ls)", "ls &", "cat <<EOF", "for x in a; do ls; done",
     "if true; then ls; fi", "echo 'open", 'echo "open', "ls |", "| ls", "ls && && ls", "ls > ", "cat {a,b}.md", "! ls", "ls 3> x",
     "ls |& cat", "echo $'a'", "ls; ; ls"],
)  # fmt: skip
def test_what_is_no_line_of_this_shell_runs_nothing_and_says_why(line):
    with pytest.raises(GrammarError, match="."):
        parse(line)
    outcome = over({"/a": "b\n"}, line)
    assert (outcome.stdout, outcome.exit_code) == (b"", 2)
    assert outcome.stderr.startswith("stash: ")


@given(st.text(max_size=60))
def test_any_text_is_a_line_or_an_error(line):
    with suppress(GrammarError):
        parse(line)
